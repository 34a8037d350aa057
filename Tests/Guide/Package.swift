// swift-tools-version: 6.1
import PackageDescription

// The tests of the guide, generated from its articles by Scripts/guide.
let package = Package(
    name: "Guide",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Rowan", path: "../..")],
    targets: [
        .testTarget(
            name: "GuideTests",
            dependencies: [
                .product(name: "RowanChangesets", package: "Rowan"),
                .product(name: "RowanSalvage", package: "Rowan"),
                .product(name: "RowanCluster", package: "Rowan"), .product(name: "RowanImport", package: "Rowan"),
                .product(name: "RowanRecords", package: "Rowan"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
