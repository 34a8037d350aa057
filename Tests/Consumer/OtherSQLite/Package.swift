// swift-tools-version: 6.1
import PackageDescription

// Another package around SQLite, whose target has the name that most of them have. SwiftPM refuses two targets of one name.
let package = Package(
    name: "OtherSQLite",
    products: [.library(name: "OtherSQLite", targets: ["CSQLite"])],
    targets: [.systemLibrary(name: "CSQLite", pkgConfig: "sqlite3")]
)
