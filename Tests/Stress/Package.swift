// swift-tools-version: 6.1
import PackageDescription

// The reliability kit. It sees what Rowan makes public, as any program.
let package = Package(
    name: "Stress",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../..")
    ],
    targets: [
        .executableTarget(name: "stress", dependencies: [.product(name: "Rowan", package: "Rowan")])
    ],
    swiftLanguageModes: [.v6]
)
