// Queries of the user.

import Foundation
import Hummingbird
import Rowan
import RowanCommands
import RowanPictures

private struct QueryResult: Sendable {
    let columns: [String]
    var rows: [[Cell]] = []
    var isCut = false
    var elapsed = Duration.zero
    var plan: PlanTree?

    init(_ db: Database, _ sql: String) throws {
        let start = ContinuousClock.now
        let statement = try db.makeStatement(sql: sql)
        guard statement.columnCount > 0 else { throw Failure.usage("The statement returns no rows: use a SELECT.") }
        columns = statement.columnNames
        let cursor = try Row.fetchCursor(statement)
        while let row = try cursor.next() {
            guard rows.count < InspectedFile.maximumRowCount else {
                isCut = true
                break
            }
            rows.append(row.databaseValues.map { Cell($0) })
        }
        elapsed = ContinuousClock.now - start
        // Only queries have a plan, and not, for instance, pragmas.
        plan = try? PlanTree(db.explain(sql: sql), db)
    }

    func isNumeric(_ column: Int) -> Bool {
        rows.contains { $0[column].isNumber } && rows.allSatisfy { $0[column].isNumber || $0[column].kind == .null }
    }

    /// The columns of a chart: those of the address, or the first one and the first one with numbers.
    func chart(_ address: Address) -> (chart: Chart, title: String)? {
        guard let kind = address["chart"].flatMap(Chart.Kind.init), !rows.isEmpty else { return nil }
        guard let x = address["x"].map({ columns.firstIndex(of: $0) }) ?? 0 else { return nil }
        let numeric = columns.indices.filter(isNumeric)
        let first = numeric.first { $0 != x } ?? numeric.first
        guard let y = address["y"].map({ columns.firstIndex(of: $0) }) ?? first else { return nil }
        // A value that is no number is left out, like a row beyond what can be seen.
        let shown = rows.prefix(Self.maximumMarks[kind] ?? 0).filter { $0[y].isNumber && $0[x].kind != .null }
        let values = shown.compactMap { Double($0[y].text) }
        guard !values.isEmpty else { return nil }
        let positions = isNumeric(x) ? shown.map { Double($0[x].text) ?? 0 } : nil
        let chart = Chart(kind: kind, labels: shown.map { $0[x].text }, positions: positions, values: values)
        return (chart, "\(columns[y].shortened(to: 40)) by \(columns[x].shortened(to: 40))")
    }

    private static let maximumMarks: [Chart.Kind: Int] = [.bars: 200, .lines: 1_000, .points: 1_000]
}

extension Pages {
    func query(_ address: Address) async throws -> Response {
        let names = try await file.read(TableShape.names)
        let sql = (address["sql"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        var output: Markup = "<p>A query has 5 seconds, and shows at most 1,000 rows and 10 MB. It can't write.</p>"
        var status = HTTPResponse.Status.ok
        if !sql.isEmpty {
            do {
                let result = try await file.readAlone(.query) { try QueryResult($0, sql) }
                inspector.history.add(sql)
                output = self.output(result, address)
            } catch let error as DatabaseError {
                (status, output) = (.badRequest, "<p class=\"problem\" role=\"alert\">\(Self.sentence(error))</p>")
            } catch let error as Failure where error.exitCode == 2 {
                (status, output) = (.badRequest, "<p class=\"problem\" role=\"alert\">\(error.message)</p>")
            }
        }
        let body: Markup = """
            <h1>Query</h1>
            <form class="query" action="/query"><label for="sql">SQL</label>\
            <textarea id="sql" name="sql" rows="\(min(16, max(4, sql.split(separator: "\n").count + 1)))" spellcheck="false" \
            autocomplete="off" autocapitalize="off">\n\(sql)</textarea>\(chartFields(address))\
            <button>Run</button> <small class="hint">Ctrl+Enter</small></form>
            \(output)\(history())
            """
        return respond(Layout(title: "Query", section: "query", body: body), names, status)
    }

    private func chartFields(_ address: Address) -> Markup {
        let kinds = Chart.Kind.allCases.map { kind -> Markup in
            "<option\(Self.selected(address["chart"] == kind.rawValue)) value=\"\(kind.rawValue)\">\(kind.rawValue)</option>"
        }
        return """
            <div class="chart"><label>Draw <select name="chart"><option value="">no chart</option>\(kinds)</select></label>\
            <label>of <input name="y" value="\(address["y"] ?? "")" placeholder="column"></label>\
            <label>by <input name="x" value="\(address["x"] ?? "")" placeholder="column"></label></div>
            """
    }

    private func output(_ result: QueryResult, _ address: Address) -> Markup {
        let plain = Address(["query"], [("sql", address["sql"] ?? "")])
        let numbers = Set(result.columns.indices.filter(result.isNumeric))
        let rows = result.rows.map { $0.map { $0.markup() } }
        let count = "\(result.rows.count.grouped) \(result.rows.count == 1 ? "row" : "rows")"
        let milliseconds = Int(result.elapsed / .milliseconds(1))
        let drawn = result.chart(address)
        let picture: Markup? = drawn.map { drawn in
            let data = zip(drawn.chart.labels, drawn.chart.values).map { label, value -> [Markup] in
                ["\(label.shortened(to: 100))", "\(String(value))"]
            }
            return Layout.figure(
                drawn.chart.picture(title: drawn.title),
                Layout.table(["Label", "Value"], data, numbers: [1], caption: drawn.title))
        }
        let noPicture: Markup? =
            drawn == nil && address["chart"] != nil
            ? "<p class=\"problem\">There is nothing to draw: the result has no column with numbers, or no column of that name.</p>"
            : nil
        let plan: Markup? = result.plan.map { plan in
            let data = plan.lines.map { depth, step -> [Markup] in
                ["\(depth)", "\(step.text)", "\(step.rows.map(PlanTree.rows) ?? "")", "\(step.remark ?? "")"]
            }
            let figure = Layout.figure(
                plan.picture(title: "How SQLite runs the query"),
                Layout.table(["Depth", "Step", "Rows", "Remark"], data, caption: "Steps of the query"))
            return "<h2>Plan</h2>\(figure)"
        }
        return """
            <p id="summary">\(count), \(milliseconds) ms\(result.isCut ? ". Only the first 1,000 rows are shown: download the result for all of them." : "")</p>
            \(picture)\(noPicture)
            \(rows.isEmpty ? "" : Layout.table(result.columns, rows, numbers: numbers, caption: "Result"))
            <ul class="actions"><li><a href="\(plain.appending("csv").text)" download>CSV</a></li>\
            <li><a href="\(plain.appending("json").text)" download>JSON</a></li></ul>
            \(plan)
            """
    }

    private func history() -> Markup {
        let queries = inspector.history.all
        guard !queries.isEmpty else { return "" }
        let items = queries.map { sql -> Markup in
            "<li><a href=\"\(Address(["query"], [("sql", sql)]).text)\"><code>\(sql.shortened(to: 200))</code></a></li>"
        }
        return """
            <h2>History</h2><ol class="history">\(items)</ol>
            <form method="post" action="/query/forget"><input type="hidden" name="form" value="\(inspector.gate.formToken)">\
            <button>Forget these</button></form>
            """
    }
}
