// A row, with those to which it refers, and those that refer to it.

import Foundation
import Hummingbird
import Rowan
import RowanCommands
import RowanPictures

private struct RowDetails: Sendable {
    struct Referring: Sendable {
        let reference: TableShape.Reference
        let values: [DatabaseValue]
    }

    let shape: TableShape
    let key: RowKey
    let cells: [Cell]
    let referring: [Referring]

    init(_ db: Database, _ address: Address) throws {
        shape = try TableShape(db, address.path[1])
        (key, cells) = try Self.fetch(db, shape, address)
        var referring: [Referring] = []
        for reference in try TableShape.references(db, to: shape.name) {
            let columns = reference.mapping.map { $0.destination.quotedIdentifier }.joined(separator: ", ")
            let sql: SQL =
                "SELECT \(sql: columns) FROM \(sql: shape.name.quotedIdentifier) WHERE \(key.condition(shape.key))"
            // A foreign key to columns that are missing has no rows.
            guard let row = try? SQLRequest<Row>(literal: sql).fetchOne(db) else { continue }
            referring.append(Referring(reference: reference, values: Array(row.databaseValues)))
        }
        self.referring = referring
    }

    private static func fetch(
        _ db: Database, _ shape: TableShape, _ address: Address
    ) throws -> (RowKey, [Cell]) {
        guard let key = RowKey(texts: address.values("key")), !shape.key.isEmpty, key.values.count == shape.key.count
        else {
            throw Failure.usage("the address has no key of \(shape.name)")
        }
        let selection = shape.selection(characters: Cell.manyCharacters)
        let sql: SQL = "SELECT \(selection) FROM \(sql: shape.name.quotedIdentifier) WHERE \(key.condition(shape.key))"
        guard let row = try SQLRequest<Row>(literal: sql).fetchOne(db) else {
            throw HTTPError(.notFound, message: "There is no such row: it may have been deleted.")
        }
        return (key, shape.row(row, characters: Cell.manyCharacters).cells)
    }
}

extension Pages {
    func row(_ address: Address) async throws -> Response {
        let names = try await file.read(TableShape.names)
        let details = try await file.read { try RowDetails($0, address) }
        let (shape, key) = (details.shape, details.key)
        let parameters = key.texts.map { ("key", $0) }
        let values = shape.columns.indices.map { index -> Markup in
            let (column, cell) = (shape.columns[index], details.cells[index])
            let content = cell.markup(characters: Cell.manyCharacters)
            let target = reference(shape, column.name, cell)
            let value: Markup = target.map { "<a href=\"\($0)\">\(content)</a>" } ?? content
            let download = Address(["table", shape.name, "value"], parameters + [("column", column.name)])
            let needsFile = cell.kind == .blob || cell.size != nil
            return """
                <div data-key="\(column.name)"><dt>\(column.name) <small>\(column.type)</small></dt>\
                <dd>\(value)\(needsFile ? " <a href=\"\(download.text)\" download>Download</a>" as Markup : "")</dd></div>
                """
        }
        var referring: [Markup] = []
        for part in details.referring { referring.append(try await self.referring(part)) }
        let title = "\(shape.name) \(key.values.map(\.shown).joined(separator: ", ").shortened(to: 60))"
        let body: Markup = """
            <h1><a href="\(Address(["table", shape.name]).text)">\(shape.name)</a> \
            <small>\(shape.key.joined(separator: ", ")) \(key.values.map(\.shown).joined(separator: ", ").shortened(to: 60))</small></h1>
            <div id="rows"><dl class="row">\(values)</dl></div>
            \(referring.isEmpty ? "" : "<h2>Rows that refer to it</h2><ul>\(referring)</ul>" as Markup)
            """
        return respond(Layout(title: title, table: shape.name, body: body), names)
    }

    private func referring(_ part: RowDetails.Referring) async throws -> Markup {
        let limit = 1_000
        let table = part.reference.origin
        let columns = part.reference.mapping.map(\.origin)
        let conditions = zip(columns, part.values).map { "\(sql: $0.quotedIdentifier) = \($1)" as SQL }
        let sql: SQL = """
            SELECT count(*) FROM (SELECT 1 FROM \(sql: table.quotedIdentifier) WHERE \
            \(conditions.joined(separator: " AND ")) LIMIT \(limit + 1))
            """
        // A foreign key without an index takes long to count.
        let count = try await file.quickly { try SQLRequest<Int>(literal: sql).fetchOne($0) } ?? nil
        let text = count.map { $0 > limit ? "more than \(limit.grouped)" : $0.grouped } ?? "rows"
        let filters = zip(columns, part.values).flatMap { [("c", $0), ("o", "eq"), ("v", $1.shown)] }
        let hasLink = part.values.allSatisfy { value in
            switch value.storage {
            case .null, .blob: false
            case .int64, .double, .string: true
            }
        }
        let name: Markup = "\(table) <small>by \(columns.joined(separator: ", "))</small>"
        return """
            <li>\(hasLink ? "<a href=\"\(Address(["table", table], filters).text)\">\(name)</a>" : name): \(text)</li>
            """
    }

    /// A value as a file: never as a page, because it may be one.
    func value(_ address: Address) async throws -> Response {
        let data = try await file.readAlone(.pages, isWhole: true) { db -> Data in
            let shape = try TableShape(db, address.path[1])
            guard let key = RowKey(texts: address.values("key")), key.values.count == shape.key.count,
                !shape.key.isEmpty,
                let column = address["column"].flatMap(shape.column)
            else { throw Failure.usage("the address has no key, or no column, of \(shape.name)") }
            let sql: SQL = """
                SELECT CAST(\(sql: column.quotedColumn) AS BLOB) FROM \(sql: shape.name.quotedIdentifier) \
                WHERE \(key.condition(shape.key))
                """
            guard let data = try SQLRequest<Data>(literal: sql).fetchOne(db) else {
                throw HTTPError(.notFound, message: "There is no such value.")
            }
            return data
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/octet-stream",
                .contentDisposition: "attachment; filename=\"value.bin\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}
