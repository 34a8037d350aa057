// swift-tools-version: 6.1
import PackageDescription

// Rowan under the module names of the API that it documents.
let package = Package(
    name: "Compatibility",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // A target with only this product as a dependency can import both modules.
        .library(name: "GRDB", targets: ["GRDB", "GRDBSQLite"]),
        .library(name: "GRDBSQLite", targets: ["GRDBSQLite"]),
    ],
    dependencies: [
        .package(name: "Rowan", path: "../..")
    ],
    targets: [
        .target(name: "GRDB", dependencies: [.product(name: "Rowan", package: "Rowan")]),
        .target(name: "GRDBSQLite", dependencies: [.product(name: "RowanSQLite", package: "Rowan")]),
    ],
    swiftLanguageModes: [.v6]
)
