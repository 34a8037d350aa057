// swift-tools-version: 6.1
import PackageDescription

// Compares the parser of RowanRecords with the compiler's. Only this package depends on swift-syntax.
let package = Package(
    name: "MacroCorpus",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
    targets: [
        .target(name: "RowanRecordSyntax"),
        .executableTarget(
            name: "Corpus",
            dependencies: [
                "RowanRecordSyntax", .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
