// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "PlacesServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Rowan", path: "../.."),
        .package(name: "RowanServer", path: "../../Satellites/Server"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "PlacesServer",
            dependencies: [
                .product(name: "RowanRecords", package: "Rowan"),
                .product(name: "RowanLogging", package: "RowanServer"),
                .product(name: "RowanMetrics", package: "RowanServer"),
                .product(name: "RowanTracing", package: "RowanServer"),
                .product(name: "RowanLifecycle", package: "RowanServer"),
                .product(name: "RowanJobs", package: "RowanServer"),
                .product(name: "RowanLitestream", package: "RowanServer"),
                .product(name: "RowanTenants", package: "RowanServer"),
                .product(name: "RowanDrills", package: "RowanServer"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "PlacesServerTests",
            dependencies: [
                "PlacesServer", .product(name: "RowanTestKit", package: "Rowan"),
                .product(name: "RowanJobs", package: "RowanServer"),
                .product(name: "RowanJobsTestKit", package: "RowanServer"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
