// swift-tools-version: 6.1
import PackageDescription

// A program written for the module GRDB, without references to Rowan.
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
