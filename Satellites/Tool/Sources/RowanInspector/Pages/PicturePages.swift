// The schema and the space as pictures.

import Foundation
import Hummingbird
import Rowan
import RowanCommands
import RowanPictures

extension Pages {
    func diagram() async throws -> Response {
        let names = try await file.read(TableShape.names)
        let diagram = try await file.readAlone(.pages) { try SchemaDiagram($0) { Address(["table", $0]).text } }
        let rows = diagram.links.map { link -> [Markup] in
            let (from, to) = (diagram.tables[link.from], diagram.tables[link.to])
            return [
                "\(from.name)", "\(from.columns[link.fromColumn].name)", "\(to.name)",
                "\(to.columns[link.toColumn].name)",
            ]
        }
        let data: Markup =
            rows.isEmpty
            ? "<p>There are no foreign keys.</p>"
            : Layout.table(["Table", "Column", "Refers to", "Column"], rows, caption: "Foreign keys")
        let figure: Markup =
            diagram.tables.isEmpty
            ? "<p>The database has no tables.</p>"
            : Layout.figure(diagram.picture(title: "Tables and foreign keys of \(file.name)"), data)
        return respond(
            Layout(title: "Diagram", section: "diagram", body: "<h1>Diagram</h1>\(figure)"), names)
    }

    func space() async throws -> Response {
        let names = try await file.read(TableShape.names)
        let tables = Set(names.tables)
        let usage = try await file.readAlone(.pages) { db in
            try Row.fetchAll(db, sql: UsageCommand.sql).map { row in
                (name: row[0] as String, kind: row[1] as String, table: row[2] as String, bytes: row[3] as Int)
            }
        }
        let parts = usage.map { part -> Treemap.Part in
            let table = tables.contains(part.name) ? part.name : tables.contains(part.table) ? part.table : nil
            return Treemap.Part(
                name: part.name, value: Double(part.bytes), label: Cell.bytes(part.bytes),
                style: part.kind == "index" ? "second" : part.kind == "free" ? "free" : "",
                address: table.map { Address(["table", $0]).text })
        }
        let rows = usage.map { part -> [Markup] in
            ["\(part.name)", "\(part.kind)", "\(part.table)", "\(Cell.bytes(part.bytes))"]
        }
        let total = usage.reduce(0) { $0 + $1.bytes }
        let body: Markup = """
            <h1>Space <small>\(Cell.bytes(total))</small></h1>
            <p>Tables are light, indexes darker, and free pages gray.</p>
            \(Layout.figure(
                Treemap(parts).picture(title: "Space of tables and indexes"),
                Layout.table(["Name", "Kind", "Table", "Size"], rows, numbers: [3], caption: "Space")))
            """
        return respond(Layout(title: "Space", section: "space", body: body), names)
    }
}
