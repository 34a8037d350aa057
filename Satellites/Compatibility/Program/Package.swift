// swift-tools-version: 6.1
import PackageDescription

// A program that was written for the module GRDB, and does not know Rowan.
let package = Package(
    name: "Program",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Compatibility", path: "..")
    ],
    targets: [
        .target(name: "Models", dependencies: [.product(name: "GRDB", package: "Compatibility")]),
        .testTarget(name: "ModelsTests", dependencies: ["Models", .product(name: "GRDB", package: "Compatibility")]),
    ],
    swiftLanguageModes: [.v6]
)
