// swift-tools-version: 6.1
import PackageDescription

// What a server needs around Rowan: each product adapts it to one package or program. ROWAN_STRICT=1 makes warnings
// errors.
let isStrict = Context.environment["ROWAN_STRICT"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

let rowan = Target.Dependency.product(name: "Rowan", package: "Rowan")
let cluster = Target.Dependency.product(name: "RowanCluster", package: "Rowan")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "RowanServer",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // Logs with swift-log, metrics with swift-metrics, traces with swift-distributed-tracing.
        .library(name: "RowanLogging", targets: ["RowanLogging"]),
        .library(name: "RowanMetrics", targets: ["RowanMetrics"]),
        .library(name: "RowanTracing", targets: ["RowanTracing"]),
        // Opening and closing with swift-service-lifecycle.
        .library(name: "RowanLifecycle", targets: ["RowanLifecycle"]),
        // Durable jobs in the database, and their tests.
        .library(name: "RowanJobs", targets: ["RowanJobs"]),
        .library(name: "RowanJobsTestKit", targets: ["RowanJobsTestKit"]),
        // One database per tenant.
        .library(name: "RowanTenants", targets: ["RowanTenants"]),
        // Replication and restores with Litestream.
        .library(name: "RowanLitestream", targets: ["RowanLitestream"]),
        // Proofs that replicas and backups can be restored.
        .library(name: "RowanDrills", targets: ["RowanDrills"]),
    ],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // The paths of swift-subprocess, where the system has no module System.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .target(name: "RowanLogging", dependencies: [rowan, logging], swiftSettings: settings),
        .target(name: "RowanMetrics", dependencies: [rowan, cluster, metrics], swiftSettings: settings),
        .target(name: "RowanTracing", dependencies: [rowan, tracing], swiftSettings: settings),
        .target(name: "RowanLifecycle", dependencies: [rowan, logging, lifecycle], swiftSettings: settings),
        .testTarget(
            name: "RowanServerTests",
            dependencies: [
                rowan, cluster, logging, metrics, tracing, lifecycle, "RowanLogging", "RowanMetrics", "RowanTracing",
                "RowanLifecycle", .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "RowanJobs", dependencies: [rowan, logging, metrics, tracing, lifecycle], swiftSettings: settings),
        .target(name: "RowanJobsTestKit", dependencies: ["RowanJobs", rowan, logging], swiftSettings: settings),
        .testTarget(
            name: "RowanJobsTests",
            dependencies: [
                "RowanJobs", "RowanJobsTestKit", rowan, cluster, logging, metrics, tracing, lifecycle,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(name: "RowanTenants", dependencies: [rowan, logging, metrics, lifecycle], swiftSettings: settings),
        .testTarget(
            name: "RowanTenantsTests",
            dependencies: [
                "RowanTenants", rowan, logging, metrics, lifecycle,
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "RowanLitestream",
            dependencies: [
                "RowanTenants", rowan, logging, lifecycle, .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RowanLitestreamTests",
            dependencies: [
                "RowanLitestream", "RowanDrills", "RowanTenants", rowan, logging, lifecycle,
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings),
        .target(
            name: "RowanDrills", dependencies: ["RowanLitestream", "RowanTenants", rowan, logging, metrics, lifecycle],
            swiftSettings: settings),
        .testTarget(
            name: "RowanDrillsTests",
            dependencies: [
                "RowanDrills", "RowanTenants", rowan, logging, metrics, lifecycle,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
