// swift-tools-version: 6.1
// The benchmarks are a separate package, so that users of Rowan never resolve or build the peer.
import PackageDescription

/// `ROWAN_BENCH_NO_PEER=1` omits GRDB, for quick iterations on Rowan.
let hasPeer = Context.environment["ROWAN_BENCH_NO_PEER"] != "1"

/// `ROWAN_BENCH_NO_ROWAN=1` omits Rowan, to measure the floor and the peer while the library doesn't compile.
let hasRowan = Context.environment["ROWAN_BENCH_NO_ROWAN"] != "1"

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Features that the peer doesn't have.
let features = ["HAS_INSERT_ALL", "HAS_GROUP_COMMIT", "HAS_CACHE_SIZES"]

var dependencies: [Package.Dependency] = []
var sideTargets: [Target] = []
var sides: [Target.Dependency] = ["FloorSide"]
var sideFlags: [SwiftSetting] = []

if hasRowan {
    dependencies.append(.package(name: "Rowan", path: ".."))
    sideTargets.append(
        .target(
            name: "RowanSide",
            dependencies: [
                "Harness", .product(name: "Rowan", package: "Rowan"),
                .product(name: "RowanChangesets", package: "Rowan"), .product(name: "RowanImport", package: "Rowan"),
                .product(name: "RowanRecords", package: "Rowan"),
            ],
            swiftSettings: settings + features.map { .define($0) }))
    sides.append("RowanSide")
    sideFlags.append(.define("ROWAN_SIDE"))
}

if hasPeer {
    dependencies.append(.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"))
    sideTargets.append(
        .target(
            name: "GRDBSide",
            dependencies: ["Harness", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: settings))
    sides.append("GRDBSide")
    sideFlags.append(.define("GRDB_SIDE"))
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: dependencies,
    targets: [
        .target(name: "CFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CProbe"),
        .target(name: "Harness", swiftSettings: settings),
        .target(name: "FloorSide", dependencies: ["CFloor", "Harness"], swiftSettings: settings),
        .executableTarget(
            name: "bench",
            dependencies: ["CProbe", "Harness"] + sides,
            swiftSettings: settings + sideFlags),
    ] + sideTargets,
    swiftLanguageModes: [.v6]
)
