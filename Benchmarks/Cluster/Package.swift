// swift-tools-version: 6.1
// Measures a cluster of three nodes on this machine, compared with a local file. A separate package, because it needs
// rowan-node.
import PackageDescription

let package = Package(
    name: "ClusterBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(name: "RowanClusterTLS", path: "../../Satellites/ClusterTLS"),
    ],
    targets: [
        .executableTarget(
            name: "cluster-bench",
            dependencies: [
                .product(name: "Rowan", package: "Rowan"), .product(name: "RowanCluster", package: "Rowan"),
                .product(name: "RowanRecords", package: "Rowan"),
                .product(name: "RowanClusterTLS", package: "RowanClusterTLS"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
