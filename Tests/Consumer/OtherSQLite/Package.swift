// swift-tools-version: 6.1
import PackageDescription

// Another package around SQLite, whose target has the usual name. SwiftPM rejects two targets with the same name.
let package = Package(
    name: "OtherSQLite",
    products: [.library(name: "OtherSQLite", targets: ["CSQLite"])],
    targets: [.systemLibrary(name: "CSQLite", pkgConfig: "sqlite3")]
)
