// The tables of the database.

import Foundation
import Hummingbird
import Rowan
import RowanCommands
import RowanPictures

extension Pages {
    func home() async throws -> Response {
        let names = try await file.read(TableShape.names)
        let all = names.tables + names.views
        let tables = Set(names.tables)
        // Counts that take long are left out, like those of the tables after them.
        let deadline = ContinuousClock.now + .milliseconds(500)
        var rows: [[Markup]] = []
        for name in all {
            // A view may be broken, or endless.
            let hasTime = ContinuousClock.now < deadline
            let shape = hasTime ? (try? await file.quickly { try TableShape($0, name) }) ?? nil : nil
            let count = hasTime ? try? await file.quickly { try shape?.count($0) } : nil
            rows.append([
                "<a href=\"\(Address(["table", name]).text)\">\(name.shortened(to: 120))</a>\(tables.contains(name) ? "" : " <small>view</small>" as Markup)",
                "\((count ?? nil).map { Self.text($0) } ?? "")",
                "\((shape?.columns ?? []).prefix(12).map { $0.name.shortened(to: 40) }.joined(separator: ", "))\((shape?.columns.count ?? 0) > 12 ? ", …" : "")",
            ])
        }
        let body: Markup = """
            <h1>\(file.name)</h1>
            <div id="rows">\(rows.isEmpty
                ? "<p>The database has no tables.</p>"
                : Layout.table(["Table", "Rows", "Columns"], rows, numbers: [1], caption: "Tables and views"))</div>
            """
        return respond(Layout(title: "Tables", body: body), names)
    }

    static func text(_ count: (count: Int, isExact: Bool)) -> String {
        (count.isExact ? "" : "about ") + count.count.grouped
    }
}
