// swift-tools-version: 6.1
import PackageDescription

// TLS between the clients and the nodes of a cluster, by OpenSSL. ROWAN_STRICT=1 makes warnings errors.
let isStrict = Context.environment["ROWAN_STRICT"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let package = Package(
    name: "RowanClusterTLS",
    platforms: [.macOS(.v15)],
    products: [.library(name: "RowanClusterTLS", targets: ["RowanClusterTLS"])],
    dependencies: [.package(name: "Rowan", path: "../..")],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // What OpenSSL declares as macros.
        .target(name: "CTLSSession", dependencies: ["COpenSSL"]),
        .target(
            name: "RowanClusterTLS", dependencies: ["CTLSSession", .product(name: "RowanCluster", package: "Rowan")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
