// swift-tools-version: 6.1
// The node of a cluster is a program of its own: some SQL stops dqlite's process, which must not be the application's.
import PackageDescription

// ROWAN_STRICT=1 makes warnings errors.
let isStrict = Context.environment["ROWAN_STRICT"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let package = Package(
    name: "RowanNode",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "rowan-node", targets: ["rowan-node"])],
    dependencies: [
        .package(name: "Rowan", path: ".."), .package(name: "RowanClusterTLS", path: "../Satellites/ClusterTLS"),
    ],
    targets: [
        .systemLibrary(name: "CDqlite", pkgConfig: "dqlite", providers: [.apt(["libdqlite-dev"])]),
        .target(name: "CPoller"),
        // Takes the place of functions of the C library.
        .target(name: "CStorage"),
        .executableTarget(
            name: "rowan-node",
            dependencies: [
                "CDqlite", "CPoller", "CStorage", .product(name: "RowanCluster", package: "Rowan"),
                .product(name: "RowanClusterTLS", package: "RowanClusterTLS"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RowanNodeTests",
            dependencies: [
                "rowan-node", .product(name: "RowanCluster", package: "Rowan"),
                .product(name: "RowanClusterTLS", package: "RowanClusterTLS"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
