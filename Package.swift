// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Rowan",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Rowan", targets: ["Rowan"])
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "Rowan", dependencies: ["CSQLite"], swiftSettings: settings),
        .testTarget(
            name: "RowanTests", dependencies: ["Rowan"],
            // The library is optimised in release; the tests are many, and optimising them as one takes ten minutes.
            swiftSettings: settings
                + [.unsafeFlags(["-Onone", "-no-whole-module-optimization"], .when(configuration: .release))]),
    ],
    swiftLanguageModes: [.v6]
)
