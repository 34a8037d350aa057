package import ArgumentParser
import Foundation
import Rowan

package struct UsageCommand: AsyncParsableCommand {
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "usage", abstract: "Prints the space that each table and each index takes.",
        discussion: "rowan usage players.sqlite")

    @OptionGroup var file: DatabaseFile
    @Option(name: [.short, .long], help: "The format of the rows: box, json, jsonl, csv, tsv, markdown, line.")
    var format: RowFormat = .box

    /// Source: <https://sqlite.org/dbstat.html>
    package static let sql = """
        WITH total (size) AS (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
        part (name, kind, "table", bytes, unused, entries) AS (
            SELECT s.name, coalesce(m.type, 'schema'), coalesce(m.tbl_name, ''), s.pgsize, s.unused, s.ncell
            FROM dbstat('main', 1) AS s LEFT JOIN sqlite_schema AS m ON m.name = s.name
            UNION ALL
            SELECT '(free pages)', 'free', '', freelist_count * page_size, freelist_count * page_size, 0
            FROM pragma_freelist_count, pragma_page_size WHERE freelist_count > 0)
        SELECT name, kind, "table", bytes, round(100.0 * bytes / size, 1) AS percent, unused, entries
        FROM part, total ORDER BY bytes DESC, name
        """

    package func run() async throws {
        var options = try RowFormatOptions.parse([])
        options.format = format
        let printer = options
        try await file.read { db in
            do { try printer.print(Self.sql, [], db) } catch let error as DatabaseError
                where error.message == "no such table: dbstat"
            {
                throw Failure(
                    message: "this SQLite can't measure tables: use one that is compiled with SQLITE_ENABLE_DBSTAT_VTAB"
                )
            }
        }
    }
}
