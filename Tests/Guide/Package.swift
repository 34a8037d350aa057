// swift-tools-version: 6.1
import PackageDescription

// The tests of the guide, which Scripts/guide makes from its articles.
let package = Package(
    name: "Guide",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Rowan", path: "../..")],
    targets: [
        .testTarget(
            name: "GuideTests",
            dependencies: [
                .product(name: "RowanCluster", package: "Rowan"), .product(name: "RowanRecords", package: "Rowan"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
