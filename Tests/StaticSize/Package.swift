// swift-tools-version: 6.1
import PackageDescription

// A program that `Scripts/static-size` links with the static standard library, to check its size.
let package = Package(
    name: "StaticSize",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Rowan", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "static-size", dependencies: [.product(name: "Rowan", package: "Rowan")])
    ],
    swiftLanguageModes: [.v6]
)
