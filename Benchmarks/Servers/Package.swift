// swift-tools-version: 6.1
// Measures integrations for servers and tests, in a separate package because of their dependencies.
import PackageDescription

let package = Package(
    name: "ServerBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(name: "RowanServer", path: "../../Satellites/Server"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "server-bench",
            dependencies: [
                .product(name: "RowanRecords", package: "Rowan"), .product(name: "RowanTestKit", package: "Rowan"),
                .product(name: "RowanLogging", package: "RowanServer"),
                .product(name: "RowanMetrics", package: "RowanServer"),
                .product(name: "RowanTracing", package: "RowanServer"),
                .product(name: "RowanJobs", package: "RowanServer"),
                .product(name: "RowanTenants", package: "RowanServer"),
                .product(name: "Logging", package: "swift-log"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
