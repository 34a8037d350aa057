import ArgumentParser
import Foundation
package import Rowan

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Prints what the columns of a table contain.",
        discussion: """
            rowan profile players.sqlite player

            For each column: the stored types, the number of NULLs and of distinct values, the least and the greatest value, the \
            most frequent ones, and a histogram of numbers. Reads the table once or twice for each column.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "A table or view.") var table: String
    @Argument(help: "The columns; by default, all of them.") var columns: [String] = []

    func run() async throws {
        let (name, wanted) = (table, columns)
        print(try await file.read { try $0.profileText(of: name, columns: wanted) }, terminator: "")
    }
}

extension Database {
    /// What the columns of a table contain, or some of them.
    package func profileText(of name: String, columns wanted: [String]) throws -> String {
        let table = try existingTable(name)
        let all = try Row.fetchAll(
            self, sql: "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden IN (0, 2, 3)", arguments: [table]
        ).map { (name: $0["name"] as String, type: $0["type"] as String) }
        for column in wanted where !all.contains(where: { $0.name.lowercased() == column.lowercased() }) {
            let names = all.map(\.name).joined(separator: ", ")
            throw Failure(message: "\(table) has no column \(column): there are \(names)")
        }
        let columns = all.filter { column in
            wanted.isEmpty || wanted.contains { $0.lowercased() == column.name.lowercased() }
        }
        let count = try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0
        let profiles = try columns.map { try ColumnProfile(self, table, $0.name, type: $0.type) }
        return count.counted("row", "rows") + "\n" + profiles.map { "\n" + $0.text(ofRows: count) }.joined()
    }
}

/// What a column contains.
struct ColumnProfile: Sendable {
    let name: String
    let declaredType: String
    /// The stored types with their numbers of values, the most frequent one first.
    let types: [(name: String, count: Int)]
    let distinctCount: Int
    let least: DatabaseValue
    let greatest: DatabaseValue
    let frequent: [(value: DatabaseValue, count: Int)]
    /// The numbers of values in equal ranges between the least and the greatest number; empty unless there are several.
    let histogram: [Int]

    private static let barCount = 24

    init(_ db: Database, _ table: String, _ column: String, type: String) throws {
        let (table, name) = (table.quotedIdentifier, column.quotedIdentifier)
        self.name = column
        declaredType = type
        types = try Row.fetchAll(
            db, sql: "SELECT typeof(\(name)), count(*) FROM \(table) GROUP BY 1 ORDER BY 2 DESC, 1"
        ).map { ($0[0], $0[1]) }
        let sums = try Row.fetchOne(
            db, sql: "SELECT count(DISTINCT \(name)), min(\(name)), max(\(name)) FROM \(table)")
        distinctCount = sums?[0] ?? 0
        (least, greatest) = (sums?[1] ?? .null, sums?[2] ?? .null)
        frequent = try Row.fetchAll(
            db,
            sql: """
                SELECT \(name), count(*) FROM \(table) WHERE \(name) IS NOT NULL
                GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 5
                """
        ).map { ($0[0], $0[1]) }
        histogram = try Self.histogram(db, table, name)
    }

    private static func histogram(_ db: Database, _ table: String, _ name: String) throws -> [Int] {
        let numbers =
            "FROM \(table) WHERE typeof(\(name)) IN ('integer', 'real') AND \(name) > -9e999 AND \(name) < 9e999"
        let bounds = try Row.fetchOne(db, sql: "SELECT min(\(name)) + 0.0, max(\(name)) + 0.0 \(numbers)")
        guard let low = bounds?[0] as Double?, let high = bounds?[1] as Double?, low < high, (high - low).isFinite
        else {
            return []
        }
        var counts = Array(repeating: 0, count: barCount)
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT min(CAST((\(name) - ?1) / (?2 - ?1) * ?3 AS INTEGER), ?3 - 1), count(*) \(numbers) GROUP BY 1
                """, arguments: [low, high, barCount])
        while let row = try rows.next() { counts[max(0, min(row[0], barCount - 1))] += row[1] as Int }
        return counts
    }

    func text(ofRows rowCount: Int) -> String {
        var lines = [Console.styled(name.onOneLine, .bold) + (declaredType.isEmpty ? "" : " " + declaredType.onOneLine)]
        func add(_ label: String, _ text: String) { lines.append("  " + label.padded(to: 10) + text) }
        add("types", types.isEmpty ? "no rows" : types.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
        add("distinct", "\(distinctCount)")
        guard distinctCount > 0 else { return lines.joined(separator: "\n") + "\n" }
        func short(_ value: DatabaseValue) -> String { value.shown.onOneLine.truncated(to: 40) }
        add("range", "\(short(least)) … \(short(greatest))")
        if !frequent.isEmpty {
            add("frequent", frequent.map { "\(short($0.value)) (\($0.count))" }.joined(separator: ", "))
        }
        if let highest = histogram.max() { add("histogram", histogram.map { Self.bar($0, of: highest) }.joined()) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func bar(_ count: Int, of highest: Int) -> String {
        guard count > 0 else { return "·" }
        let bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return bars[max(0, (count * bars.count + highest - 1) / highest - 1)]
    }
}
