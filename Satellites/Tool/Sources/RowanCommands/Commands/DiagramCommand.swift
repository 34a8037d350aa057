import ArgumentParser
import Foundation
import Rowan
import RowanPictures

struct DiagramCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram", abstract: "Prints the tables and their foreign keys as a diagram, in Mermaid or SVG.",
        discussion: """
            rowan diagram players.sqlite > schema.mmd
            rowan diagram players.sqlite --svg > schema.svg

            GitHub and many editors draw such a diagram in Markdown, in a block of the language mermaid.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The tables; by default, all of them.") var tables: [String] = []
    @Flag(help: "Print a picture in SVG.") var svg = false

    func run() async throws {
        let tables = tables
        guard !svg else {
            let diagram = try await file.read { try SchemaDiagram($0, tables) }
            let name = URL(filePath: file.database).lastPathComponent
            return print(diagram.picture(title: "Tables and foreign keys of \(name)").file, terminator: "")
        }
        print(try await file.read { try Self.diagram($0, tables) }, terminator: "")
    }

    /// Source: <https://mermaid.js.org/syntax/entityRelationshipDiagram.html>
    private static func diagram(_ db: Database, _ wanted: [String]) throws -> String {
        let names = try SchemaDiagram.names(db, wanted)
        var lines = ["erDiagram"]
        var links: [String] = []
        for name in names {
            // A foreign key may refer to a table that doesn't exist.
            let keys = ((try? db.foreignKeys(on: name, in: "main")) ?? []).reversed()
            let references = Set(keys.flatMap(\.originColumns).map { $0.lowercased() })
            let columns = try db.columns(in: name, in: "main")
            lines.append("    \(quoted(name)) {")
            for column in columns {
                let marks =
                    (column.primaryKeyIndex > 0 ? ["PK"] : [])
                    + (references.contains(column.name.lowercased()) ? ["FK"] : [])
                let plain = word(column.name)
                // A name that Mermaid does not accept is a comment.
                let comment = plain == column.name ? [] : [quoted(column.name)]
                let parts =
                    [word(column.type.isEmpty ? "ANY" : column.type), plain, marks.joined(separator: ", ")] + comment
                lines.append("        " + parts.filter { !$0.isEmpty }.joined(separator: " "))
            }
            lines.append("    }")
            for key in keys where names.contains(where: { $0.lowercased() == key.destinationTable.lowercased() }) {
                let isOptional = columns.contains { column in
                    !column.isNotNull && key.originColumns.contains { $0.lowercased() == column.name.lowercased() }
                }
                let isUnique = try db.table(name, hasUniqueKey: key.originColumns)
                let link = "\(isUnique ? "|o" : "}o")--\(isOptional ? "o|" : "||")"
                let target =
                    names.first { $0.lowercased() == key.destinationTable.lowercased() } ?? key.destinationTable
                links.append(
                    "    \(quoted(name)) \(link) \(quoted(target)) : \(quoted(key.originColumns.joined(separator: ", ")))"
                )
            }
        }
        return (lines + links).joined(separator: "\n") + "\n"
    }

    private static func quoted(_ name: String) -> String { "\"" + name.onOneLine.replacing("\"", with: "'") + "\"" }

    /// A name that Mermaid accepts without quotes.
    private static func word(_ name: String) -> String {
        let word = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "_" })
        return word.first.map { $0.isLetter } ?? false ? word : "_" + word
    }
}
