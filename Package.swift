// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// For the checks of .ci/run, not for users. In ROWAN_STRICT=1, warnings are errors. ROWAN_TESTS lists the folders and
// files of Tests/RowanTests to build, ROWAN_RECORDS_TESTS those of Tests/RowanRecordsTests, and ROWAN_TEST_TARGETS the
// targets of tests: with sanitizers or optimizations, all of them would take long.
let isStrict = Context.environment["ROWAN_STRICT"] == "1"
let tests = Context.environment["ROWAN_TESTS"]?.split(separator: " ").map(String.init)
let recordsTests = Context.environment["ROWAN_RECORDS_TESTS"]?.split(separator: " ").map(String.init)
let testTargets = Context.environment["ROWAN_TEST_TARGETS"]?.split(separator: " ").map(String.init)

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let package = Package(
    name: "Rowan",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Rowan", targets: ["Rowan"]),
        // The macros @Record, @Selection and #sql.
        .library(name: "RowanRecords", targets: ["RowanRecords"]),
        // The same records and requests on a replicated SQLite: the driver of dqlite clusters.
        .library(name: "RowanCluster", targets: ["RowanCluster"]),
        // Changes of rows as values, with undo: SQLite's changesets.
        .library(name: "RowanChangesets", targets: ["RowanChangesets"]),
        // Comma-separated values, imported into tables or read as records.
        .library(name: "RowanImport", targets: ["RowanImport"]),
        // What can be read of a damaged file.
        .library(name: "RowanSalvage", targets: ["RowanSalvage"]),
        // Databases for tests with Swift Testing, and expectations about SQL.
        .library(name: "RowanTestKit", targets: ["RowanTestKit"]),
        // Compiles the files with #sql again when schema.sql has changed.
        .plugin(name: "RowanSchema", targets: ["RowanSchema"]),
        // The C API, for programs that call it beside the library.
        .library(name: "RowanSQLite", targets: ["RowanSQLite"]),
    ],
    traits: [
        .default(enabledTraits: ["FullFoundation"]),
        .trait(
            name: "FullFoundation",
            description: """
                Foundation's classes as values, localized functions and collations, date formatters, regular expressions \
                of inflections, suspension notifications. Without them, a static program on Linux is 40 MB smaller.
                """),
    ],
    targets: [
        .systemLibrary(
            name: "RowanSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(
            name: "Rowan", dependencies: ["RowanPlatform", "RowanSQLite", "RowanSQLText"], swiftSettings: settings),
        .target(name: "RowanRecords", dependencies: ["Rowan", "RowanRecordsPlugin"], swiftSettings: settings),
        .target(
            name: "RowanCluster", dependencies: ["Rowan", "RowanPlatform", "RowanSQLText"], swiftSettings: settings),
        .target(
            name: "RowanChangesets", dependencies: ["Rowan", "RowanPlatform", "RowanSQLite"],
            swiftSettings: settings),
        .target(
            name: "RowanImport", dependencies: ["Rowan", "RowanPlatform", "RowanSQLite"], swiftSettings: settings),
        .target(
            name: "RowanSalvage", dependencies: ["Rowan", "RowanPlatform", "RowanSQLite"], swiftSettings: settings),
        .target(name: "RowanTestKit", dependencies: ["Rowan"], swiftSettings: settings),
        .macro(
            name: "RowanRecordsPlugin",
            dependencies: ["RowanPluginMessages", "RowanRecordExpansion", "RowanSQLExpansion"],
            swiftSettings: settings),
        .target(
            name: "RowanRecordExpansion", dependencies: ["RowanPluginMessages", "RowanRecordSyntax"],
            swiftSettings: settings),
        .target(
            name: "RowanSQLExpansion",
            dependencies: ["RowanSQLite", "RowanSQLText", "RowanPluginMessages", "RowanRecordSyntax"],
            swiftSettings: settings),
        .target(name: "RowanSQLText", swiftSettings: settings),
        .target(name: "RowanPlatform", swiftSettings: settings),
        .target(name: "RowanRecordSyntax", swiftSettings: settings),
        .target(name: "RowanPluginMessages", swiftSettings: settings),
        .plugin(name: "RowanSchema", capability: .buildTool(), dependencies: ["RowanSchemaStamp"]),
        .executableTarget(name: "RowanSchemaStamp", swiftSettings: settings),
        .testTarget(
            name: "RowanTests",
            dependencies: [
                "Rowan", "RowanChangesets", "RowanCluster", "RowanImport", "RowanRecords", "RowanSQLText",
                "RowanSalvage",
            ],
            exclude: ["Documentation/schema.sql"],
            sources: tests,
            // The library is optimised in release; optimising the tests as one takes ten minutes.
            swiftSettings: settings
                + [.unsafeFlags(["-Onone", "-no-whole-module-optimization"], .when(configuration: .release))]),
        .testTarget(
            name: "RowanRecordsTests",
            dependencies: [
                "Rowan", "RowanRecords", "RowanRecordExpansion", "RowanRecordSyntax", "RowanSQLExpansion",
                "RowanSQLText",
            ],
            exclude: ["SQL/schema.sql"], sources: recordsTests, swiftSettings: settings),
        .testTarget(name: "RowanClusterTests", dependencies: ["Rowan", "RowanCluster"], swiftSettings: settings),
        .testTarget(
            name: "RowanTestKitTests", dependencies: ["Rowan", "RowanRecords", "RowanTestKit"],
            exclude: ["Schemas", "Snapshots", "fixtures.sql"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

if let testTargets { package.targets.removeAll { $0.type == .test && !testTargets.contains($0.name) } }
