// swift-tools-version: 6.1
import PackageDescription

// The program rowan, and its commands as a library for other programs. ROWAN_STRICT=1 makes warnings errors.
let isStrict = Context.environment["ROWAN_STRICT"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let rowan = Target.Dependency.product(name: "Rowan", package: "Rowan")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "RowanTool",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "rowan", targets: ["RowanTool"]),
        .library(name: "RowanCommands", targets: ["RowanCommands"]),
    ],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "RowanCommands",
            dependencies: [rowan, arguments, .product(name: "RowanImport", package: "Rowan")],
            swiftSettings: settings),
        // On a Mac, a target with the name of the program would collide with the module Rowan.
        .executableTarget(name: "RowanTool", dependencies: ["RowanCommands"], swiftSettings: settings),
        .testTarget(
            name: "RowanCommandsTests",
            dependencies: ["RowanCommands", "RowanTool", rowan, "GeneratedRecords", "GeneratedCodables"],
            resources: [.copy("schema.sql")], swiftSettings: settings),
        // Written by `rowan generate` for the tables in schema.sql.
        .target(
            name: "GeneratedRecords", dependencies: [.product(name: "RowanRecords", package: "Rowan")],
            path: "Tests/GeneratedRecords", swiftSettings: settings),
        .target(
            name: "GeneratedCodables", dependencies: [rowan], path: "Tests/GeneratedCodables", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
