// swift-tools-version: 6.1
import PackageDescription

// The reliability kit. It uses only public API, except @_spi(Node): it finds the leader of a cluster, has another node
// lead, and answers in place of a node.
let package = Package(
    name: "Stress",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(name: "RowanServer", path: "../../Satellites/Server"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "stress",
            dependencies: [
                .product(name: "Rowan", package: "Rowan"),
                .product(name: "RowanCluster", package: "Rowan"),
                .product(name: "RowanJobs", package: "RowanServer"),
                .product(name: "RowanTenants", package: "RowanServer"),
                .product(name: "RowanDrills", package: "RowanServer"),
                .product(name: "RowanLitestream", package: "RowanServer"),
                .product(name: "Logging", package: "swift-log"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
