// The rows of a table.

import Foundation
import Hummingbird
import Rowan
import RowanCommands
import RowanPictures

/// One page of rows.
private struct RowsPage: Sendable {
    let shape: TableShape
    let filters: [RowFilter]
    let order: (column: String, isDescending: Bool)?
    var rows: [ShownRow] = []
    /// The parameter for the next page.
    var next: (name: String, value: String)?

    static let size = 50
    /// Servers and browsers limit addresses.
    private static let maximumToken = 4_000

    init(_ db: Database, _ address: Address) throws {
        shape = try TableShape(db, address.path[1])
        filters = try RowFilter.all(address, shape)
        let column = address["order"].flatMap(shape.column)
        order = column.map { ($0, address["down"] != nil) }
        let request = request(characters: Cell.fewCharacters)
        func shown(_ row: Row) -> ShownRow { shape.row(row, characters: Cell.fewCharacters) }
        let start = Self.position(address, "start")
        if shape.key.isEmpty || start != nil {
            // A view has no key from which a page could start.
            let ordered = shape.key.isEmpty ? request : request.order(orderings + keyOrderings)
            rows = try ordered.limit(Self.size + 1, offset: start ?? 0).fetchAll(db).map(shown)
            if rows.count > Self.size {
                rows.removeLast()
                next = ("start", String((start ?? 0) + Self.size))
            }
        } else {
            let token = try address["after"].map { text in
                guard let token = PageToken(text) else { throw Failure.usage("the start of the page is not valid") }
                return token
            }
            let page = try request.page(after: token, size: Self.size).fetch(db)
            rows = page.map(shown)
            next = page.next.map { ("after", $0.description) }
            if let next, next.value.utf8.count > Self.maximumToken {
                // A long text in the order: its pages are counted.
                self.next = ("start", String((Self.position(address, "seen") ?? 0) + Self.size))
            }
        }
    }

    /// A number of rows in an address.
    static func position(_ address: Address, _ name: String) -> Int? {
        address[name].flatMap(Int.init).map { min(max(0, $0), 1 << 40) }
    }

    /// The order of rows that are equal, as for pages that begin after a row.
    private var keyOrderings: [any SQLOrderingTerm] {
        shape.key.map { order?.isDescending == true ? Column($0).desc : Column($0).asc }
    }

    private var orderings: [any SQLOrderingTerm] {
        order.map { [$0.isDescending ? Column($0.column).desc : Column($0.column).asc] } ?? []
    }

    private func request(characters: Int) -> QueryInterfaceRequest<Row> {
        var request = Table(shape.name).select(literal: shape.selection(characters: characters))
        for filter in filters { request = request.filter(literal: filter.condition) }
        return order == nil ? request : request.order(orderings)
    }
}

extension Pages {
    func table(_ address: Address) async throws -> Response {
        let names = try await file.read(TableShape.names)
        let page = try await file.read { try RowsPage($0, address) }
        let shape = page.shape
        let count: (count: Int, isExact: Bool)? =
            page.filters.isEmpty ? try await file.quickly { try shape.count($0) } : nil
        let plain = Address(["table", shape.name], address.parameters.map { ($0.name, $0.value) })
            .with(("after", nil), ("start", nil), ("seen", nil))
        let isFirst = address["after"] == nil && address["start"] == nil
        let seen = RowsPage.position(address, "seen") ?? 0
        let next = page.next.map { next in
            // How many rows are before the page, if its start can't be named.
            let count = next.name == "after" && page.order != nil ? String(seen + RowsPage.size) : nil
            return plain.with((next.name, next.value), ("seen", count)).text
        }
        let pages: [Markup] = [
            isFirst ? "" : "<a href=\"\(plain.text)\">First page</a> ",
            next.map { "<a href=\"\($0)\" rel=\"next\">Next page</a>" } ?? "",
        ]
        let note: Markup =
            page.rows.isEmpty
            ? "<p>\(page.filters.isEmpty ? "There are no rows." : "No row matches.")</p>" : rows(page, plain)
        let query = Address(["query"], [("sql", "SELECT * FROM \(shape.name.quotedIdentifier)")])
        let body: Markup = """
            <h1>\(shape.name) \(count.map { "<small id=\"count\">\(Self.text($0)) \($0.count == 1 ? "row" : "rows")</small>" as Markup })</h1>
            \(filterForm(page))
            <div id="rows">\(note)</div>
            <nav class="pages" id="pages" aria-label="Pages of rows">\(pages)</nav>
            <ul class="actions">
            <li><a href="\(plain.appending("csv").text)" download>CSV</a></li>
            <li><a href="\(plain.appending("json").text)" download>JSON</a></li>
            <li><a href="\(query.text)">Query</a></li>
            </ul>
            <details><summary>Definition</summary><pre>\(shape.definition)</pre></details>
            """
        return respond(Layout(title: shape.name, table: shape.name, body: body), names)
    }

    /// The rows as a table, whose columns can be sorted.
    private func rows(_ page: RowsPage, _ plain: Address) -> Markup {
        let shape = page.shape
        let hidden = shape.key.filter { key in !shape.columns.contains { $0.name == key } }
        let numbers = shape.columns.indices.filter { index in
            page.rows.allSatisfy { $0.cells[index].isNumber || $0.cells[index].kind == .null }
        }
        let heads = (hidden + shape.columns.map(\.name)).enumerated().map { index, name -> Markup in
            let isCurrent = page.order?.column == name
            let isDescending = isCurrent && page.order?.isDescending == true
            let address = plain.with(("order", name), ("down", isCurrent && !isDescending ? "1" : nil))
            let sort: Markup = isCurrent ? " aria-sort=\"\(isDescending ? "descending" : "ascending")\"" : ""
            let isNumber = index < hidden.count || numbers.contains(index - hidden.count)
            return
                "<th scope=\"col\"\(isNumber ? " class=\"number\"" as Markup : "")\(sort)><a href=\"\(address.text)\">\(name.shortened(to: 80))</a></th>"
        }
        let body = page.rows.map { row -> Markup in
            let address = row.key.map { Address(["table", shape.name, "row"], $0.texts.map { ("key", $0) }).text }
            var cells = shape.columns.indices.map { index -> Markup in
                let cell = row.cells[index]
                let isLink = shape.key.first == shape.columns[index].name || (hidden.isEmpty && index == 0)
                let content = cell.markup()
                let target = isLink ? nil : reference(shape, shape.columns[index].name, cell)
                let link: Markup =
                    if isLink, let address { "<a href=\"\(address)\">\(content)</a>" } else if let target {
                        "<a href=\"\(target)\">\(content)</a>"
                    } else { content }
                return "<td\(cell.style(inNumbers: numbers.contains(index)))>\(link)</td>"
            }
            if !hidden.isEmpty, let address, let key = row.key {
                cells.insert("<td class=\"number\"><a href=\"\(address)\">\(Cell(key.values[0]).text)</a></td>", at: 0)
            }
            let key: Markup = row.key.map { " data-key=\"\($0.texts.joined(separator: "\u{1F}"))\"" } ?? ""
            return "<tr\(key)>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Rows of \(shape.name)"><table class="rows">\
            <caption class="unseen">Rows of \(shape.name)</caption><thead><tr>\(heads)</tr></thead><tbody>\(body)</tbody></table></div>
            """
    }

    /// The rows to which the value of a column refers.
    func reference(_ shape: TableShape, _ column: String, _ cell: Cell) -> String? {
        // A form would change line ends.
        guard cell.isNumber || cell.kind == .text, cell.size == nil, cell.text.count < 200, !cell.text.contains("\r\n"),
            let reference = shape.references.first(where: { $0.mapping.count == 1 && $0.mapping[0].origin == column })
        else { return nil }
        return Address(
            ["table", reference.destination],
            [("c", reference.mapping[0].destination), ("o", "eq"), ("v", cell.text)]
        ).text
    }

    private func filterForm(_ page: RowsPage) -> Markup {
        let columns = page.shape.columns.map(\.name)
        let lines = (page.filters.map { Optional($0) } + [nil]).enumerated().map { index, filter -> Markup in
            let options = columns.map { name -> Markup in
                "<option\(Self.selected(name == filter?.column)) value=\"\(name)\">\(name.shortened(to: 60))</option>"
            }
            let operations = RowFilter.operations.map { name, text -> Markup in
                "<option\(Self.selected(name == filter?.operation)) value=\"\(name)\">\(text)</option>"
            }
            return """
                <div class="filter"><select name="c" aria-label="Column of condition \(index + 1)">\
                <option value="">\(filter == nil ? "Filter by…" : "(no condition)")</option>\(options)</select>\
                <select name="o" aria-label="Comparison of condition \(index + 1)">\(operations)</select>\
                <input name="v" aria-label="Value of condition \(index + 1)" value="\(filter?.value ?? "")" autocomplete="off"></div>
                """
        }
        let order: Markup? = page.order.map {
            """
            <input type="hidden" name="order" value="\($0.column)">\
            \($0.isDescending ? "<input type=\"hidden\" name=\"down\" value=\"1\">" as Markup : "")
            """
        }
        let path = Address(["table", page.shape.name]).text
        return """
            <form class="filters" action="\(path)" role="search">\(lines)\(order)<button>Filter</button>\
            \(page.filters.isEmpty ? "" : "<a href=\"\(path)\">Show all rows</a>" as Markup)</form>
            """
    }

    static func selected(_ isSelected: Bool) -> Markup { isSelected ? " selected" : "" }

    /// What belongs to a table: a row, a value, or all rows as a file.
    func part(of address: Address, _ request: Request) async throws -> Response {
        switch address.path[2] {
        case "row": return try await row(address)
        case "value": return try await value(address)
        default:
            guard let format = Download.Format(rawValue: address.path[2]) else {
                throw HTTPError(.notFound, message: "There is no such page.")
            }
            let (shape, filters) = try await file.read { db in
                let shape = try TableShape(db, address.path[1])
                return (shape, try RowFilter.all(address, shape))
            }
            let conditions = filters.map { filter in "(\(filter.condition))" as SQL }
            let filter: SQL = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
            let order: SQL =
                address["order"].flatMap(shape.column).map { column in
                    SQL(sql: " ORDER BY \(column.quotedColumn)\(address["down"] != nil ? " DESC" : "")")
                } ?? ""
            let sql = SQL(sql: "SELECT * FROM \(shape.name.quotedIdentifier)") + filter + order
            return try await Download(format: format, name: shape.name, sql: sql, text: .pages).response(file, request)
        }
    }
}
