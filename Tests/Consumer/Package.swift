// swift-tools-version: 6.1
import PackageDescription

// An ordinary package: it sees only Rowan's public API. Its only other dependency is a package that also wraps SQLite.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(name: "OtherSQLite", path: "OtherSQLite"),
    ],
    targets: [
        .executableTarget(name: "consumer", dependencies: [.product(name: "Rowan", package: "Rowan")]),
        .executableTarget(
            name: "statements", dependencies: [.product(name: "RowanRecords", package: "Rowan")],
            plugins: [.plugin(name: "RowanSchema", package: "Rowan")]),
        .testTarget(
            name: "ConsumerTests",
            dependencies: [
                .product(name: "Rowan", package: "Rowan"), .product(name: "RowanRecords", package: "Rowan"),
                .product(name: "RowanSQLite", package: "Rowan"),
                .product(name: "OtherSQLite", package: "OtherSQLite"),
            ]),
        // A module whose declarations are on the main actor by default.
        .testTarget(
            name: "MainActorTests",
            dependencies: [
                .product(name: "Rowan", package: "Rowan"), .product(name: "RowanRecords", package: "Rowan"),
            ],
            swiftSettings: [.unsafeFlags(["-default-isolation", "MainActor"])]),
    ],
    swiftLanguageModes: [.v6]
)
