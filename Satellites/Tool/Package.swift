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
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "RowanCommands",
            dependencies: [
                rowan, arguments, "RowanPictures", .product(name: "RowanImport", package: "Rowan"),
                .product(name: "RowanSQLite", package: "Rowan"),
            ],
            swiftSettings: settings),
        // Pictures in SVG.
        .target(name: "RowanPictures", swiftSettings: settings),
        // The prompt.
        .target(
            name: "RowanShell",
            dependencies: [
                "RowanCommands", "CEditLine", rowan, arguments, .product(name: "RowanSQLite", package: "Rowan"),
            ], swiftSettings: settings),
        // On a Mac, libedit belongs to the system.
        .systemLibrary(
            name: "CEditLine", pkgConfig: "libedit", providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
        // The page.
        .target(
            name: "RowanInspector",
            dependencies: [
                "RowanCommands", "RowanPictures", rowan, arguments,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Resources")], swiftSettings: settings),
        // On a Mac, a target with the name of the program would collide with the module Rowan.
        .executableTarget(
            name: "RowanTool", dependencies: ["RowanCommands", "RowanInspector", "RowanShell"], swiftSettings: settings),
        .testTarget(
            name: "RowanCommandsTests",
            dependencies: [
                "RowanCommands", "RowanShell", "RowanTool", rowan, "GeneratedRecords", "GeneratedCodables",
                .product(name: "RowanSQLite", package: "Rowan"),
            ],
            resources: [.copy("schema.sql")], swiftSettings: settings),
        .testTarget(
            name: "RowanInspectorTests",
            dependencies: [
                "RowanInspector", "RowanPictures", "RowanCommands", rowan,
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: settings),
        // Written by `rowan generate` for the tables in schema.sql.
        .target(
            name: "GeneratedRecords", dependencies: [.product(name: "RowanRecords", package: "Rowan")],
            path: "Tests/GeneratedRecords", swiftSettings: settings),
        .target(
            name: "GeneratedCodables", dependencies: [rowan], path: "Tests/GeneratedCodables", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
