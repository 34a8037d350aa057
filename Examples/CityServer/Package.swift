// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "CityServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "CityServer",
            dependencies: [
                .product(name: "RowanRecords", package: "Rowan"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        .testTarget(
            name: "CityServerTests",
            dependencies: ["CityServer", .product(name: "HummingbirdTesting", package: "hummingbird")]),
    ],
    swiftLanguageModes: [.v6]
)
