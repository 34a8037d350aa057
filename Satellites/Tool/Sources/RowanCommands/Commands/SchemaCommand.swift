import ArgumentParser
import Foundation
package import Rowan

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the definitions of tables, indexes, views and triggers.",
        discussion: """
            rowan schema players.sqlite player
            rowan schema players.sqlite --diff old.sqlite

            With --diff, prints what differs from the schema of another database. The exit code is 1 if something does.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The tables and views; by default, all of them.") var tables: [String] = []
    @Option(help: "Another database, whose schema is the expected one.", completion: .file()) var diff: String?

    func validate() throws {
        guard diff == nil || tables.isEmpty else {
            throw ValidationError("--diff compares whole schemas: leave out the tables")
        }
    }

    func run() async throws {
        if let diff { return try await compare(with: diff) }
        let tables = tables
        print(try await file.read { try $0.definitions(of: tables) }.forTerminal, terminator: "")
    }

    private func compare(with other: String) async throws {
        let expected = try await DatabaseFile.explaining(other) { try DatabaseFile.open(other, isReadOnly: true) }
        let differences = try await file.read { db in
            try expected.read { try db.schemaDifferences(from: $0) }.map(\.description)
        }
        for difference in differences { print(difference.onOneLine) }
        if !differences.isEmpty { throw Findings() }
    }
}

extension Database {
    /// The definitions of tables and views, or of all of them.
    package func definitions(of tables: [String]) throws -> String {
        let names = try Set(tables.map { try existingTable($0) })
        let objects = try schemaObjects(in: "main").filter { !$0.isShadowTable && $0.sql != nil }
        // Each table is followed by what belongs to it.
        return objects.filter { $0.kind == .table || $0.kind == .view }
            .filter { names.isEmpty || names.contains($0.name) }
            .flatMap { table in
                [table] + objects.filter { $0.tableName == table.name && $0.kind != .table && $0.kind != .view }
            }
            .compactMap { $0.sql.map { $0 + ";\n" } }.joined()
    }
}
