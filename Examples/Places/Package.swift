// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Places",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "PlacesKit",
            dependencies: [
                .product(name: "Rowan", package: "Rowan"), .product(name: "RowanRecords", package: "Rowan"),
            ],
            resources: [.copy("Resources/zone1970.tab"), .copy("Resources/iso3166.tab")]
        ),
        .executableTarget(
            name: "places",
            dependencies: [
                "PlacesKit",
                .product(name: "Rowan", package: "Rowan"),
                .product(name: "RowanChangesets", package: "Rowan"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // The second dependency is needed because the tests run the program as a second process.
        .testTarget(name: "PlacesKitTests", dependencies: ["PlacesKit", "places"]),
    ],
    swiftLanguageModes: [.v6]
)
