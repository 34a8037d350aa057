// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "ClusterTour",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Rowan", path: "../..")],
    targets: [
        .executableTarget(
            name: "ClusterTour",
            dependencies: [
                .product(name: "RowanCluster", package: "Rowan"), .product(name: "RowanRecords", package: "Rowan"),
            ]),
        .testTarget(name: "ClusterTourTests", dependencies: ["ClusterTour"]),
    ],
    swiftLanguageModes: [.v6]
)
