import ArgumentParser
import Foundation
import Rowan
import RowanImport

struct ImportCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, tsv, jsonl }

    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Inserts the rows of files into a table. Writes the database.",
        discussion: """
            rowan import players.sqlite player players.csv
            rowan import players.sqlite player new.jsonl --key id --skip-bad bad.jsonl

            A table that doesn't exist is created, with the types of all values; so is a missing database. All files are one \
            transaction: after an error, nothing was changed. Leading zeros stay text, but 1.10 is the number 1.1: for versions, \
            create the table first, with a TEXT column.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The table.") var table: String
    @Argument(help: "The files; - is the standard input.", completion: .file()) var files: [String]
    @Option(name: [.short, .long], help: "csv, tsv or jsonl; by default, that of the file's name.") var format: Format?
    @Option(help: "The columns of a key, separated by commas: rows whose key is in the table update its rows.")
    var key: String?
    @Flag(help: "Change nothing, and write no bad rows.") var dryRun = false
    @Option(
        help:
            "A new file for rows that are malformed or violate a constraint. The others are imported. Several files need the same format and header.",
        completion: .file())
    var skipBad: String?
    @Flag(help: "CSV: the first line is a row, whose values are in the order of the table's columns.") var noHeader =
        false
    @Option(help: "CSV: the character between values.") var separator: String?
    @Option(help: "CSV: the text of NULL. By default, values without quotes and text are NULL.") var null = ""

    func validate() throws {
        if let separator, separator.unicodeScalars.count != 1 { throw ValidationError("--separator is one character") }
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("the standard input can be read once") }
        for file in files where format == nil && Self.format(of: file) == nil {
            throw ValidationError("the name of \(file) does not say what it contains: pass --format")
        }
    }

    private static func format(of file: String) -> Format? {
        switch URL(filePath: file).pathExtension.lowercased() {
        case "csv": .csv
        case "tsv", "tab": .tsv
        case "jsonl", "ndjson": .jsonl
        default: nil
        }
    }

    func run() async throws {
        if let skipBad, FileManager.default.fileExists(atPath: skipBad) {
            throw Failure(message: "\(skipBad) exists: pass a new file for --skip-bad")
        }
        let inputs = try files.map { try ImportInput($0, self.format ?? Self.format(of: $0) ?? .csv, csvFormat($0)) }
        if skipBad != nil, let other = inputs.first(where: { !$0.isLike(inputs[0]) }) {
            throw Failure.usage(
                "--skip-bad writes one file, and \(other.name) has another format or header than \(inputs[0].name): import them "
                    + "one by one")
        }
        let keys = key.map { $0.split(separator: ",").map(String.init) } ?? []
        let (table, skipBad, isDryRun) = (table, skipBad, dryRun)
        let wasMissing = !FileManager.default.fileExists(atPath: file.database)
        let summary: ImportSummary
        do {
            summary = try await file.writeWithoutTransaction(creates: true) { db in
                var summary = ImportSummary()
                let line = ProgressLine()
                defer { line?.clear() }
                try db.inTransaction {
                    for input in inputs {
                        try input.insert(into: table, keys, skipsBad: skipBad != nil, db, &summary, line)
                    }
                    // Before the commit: no row is lost if the file can't be written.
                    if let skipBad, !isDryRun, !summary.bad.isEmpty { try summary.write(to: skipBad) }
                    return isDryRun ? .rollback : .commit
                }
                return summary
            }
        } catch {
            if wasMissing { DatabaseFile.remove(file.database) }
            throw Self.explained(error)
        }
        if wasMissing, isDryRun { DatabaseFile.remove(file.database) }
        let verb = isDryRun ? "would import" : "imported"
        let created = summary.hasCreatedTable ? " into the new table \(table)" : " into \(table)"
        print("\(verb) \(summary.rowCount.counted("row", "rows"))\(created)".forTerminal)
        guard !summary.errors.isEmpty else { return }
        for error in summary.errors { Console.printError("\(error)".onOneLine) }
        let count = summary.errors.count
        Console.printError(
            isDryRun
                ? "rowan: \(count.counted("bad row", "bad rows"))"
                : "rowan: \(count.counted("bad row is", "bad rows are")) in \(skipBad ?? "")")
        throw Findings()
    }

    private func csvFormat(_ file: String) -> CSVDumpFormat {
        let isTSV = (format ?? Self.format(of: file)) == .tsv
        let separator = separator?.unicodeScalars.first ?? (isTSV ? "\t" : ",")
        return CSVDumpFormat(header: !noHeader, separator: separator, nullValue: null)
    }

    private static func explained(_ error: any Error) -> any Error {
        guard let error = error as? ImportError else { return error }
        return Failure(message: "\(error). Nothing was imported".onOneLine)
    }
}

/// What an import of several files has done.
struct ImportSummary: Sendable {
    var rowCount = 0
    var hasCreatedTable = false
    var errors: [ImportError] = []
    /// The text of bad rows.
    var bad: [Data] = []

    func write(to path: String) throws {
        do { try Data(bad.joined()).write(to: URL(filePath: path), options: .withoutOverwriting) } catch {
            throw Failure(
                message: "can't write the bad rows to \(path): \(error.localizedDescription). Nothing was imported")
        }
    }
}

/// A file to import.
struct ImportInput: Sendable {
    private let url: URL
    private let format: ImportCommand.Format
    private let csv: CSVDumpFormat
    /// The standard input, which can be read once.
    private let data: Data?

    init(_ path: String, _ format: ImportCommand.Format, _ csv: CSVDumpFormat) throws {
        (url, self.format, self.csv) = (URL(filePath: path), format, csv)
        data = path == "-" ? try Console.readStandardInput() : nil
    }

    var name: String { data == nil ? url.relativePath : "the standard input" }

    /// Whether the rows of both can be in one file.
    func isLike(_ other: ImportInput) -> Bool {
        guard format != .jsonl, other.format != .jsonl else { return format == other.format }
        return csv.separator == other.csv.separator && header == other.header
    }

    /// The first line of a CSV, without its end.
    private var header: Data? {
        // What can't be read is an error of the import.
        guard csv.header, let content = try? data ?? Data(contentsOf: url, options: .mappedIfSafe) else { return nil }
        return content.prefix { $0 != 0x0A && $0 != 0x0D }
    }

    func insert(
        into table: String, _ key: [String], skipsBad: Bool, _ db: Database, _ summary: inout ImportSummary,
        _ line: ProgressLine?
    ) throws {
        var errors: [ImportError] = []
        let note: ((ImportError) throws -> Void)? = skipsBad ? { errors.append($0) } : nil
        line?.begin(url)
        let show: ((ImportProgress) throws -> Void)? = line.map { line in { line.show($0) } }
        let result =
            switch (format, data) {
            case (.jsonl, let data?): try db.importJSONLines(into: table, data: data, key: key, onBadRow: note)
            case (.jsonl, nil):
                try db.importJSONLines(into: table, from: url, key: key, onBadRow: note, onProgress: show)
            case (_, let data?): try db.importCSV(into: table, data: data, format: csv, key: key, onBadRow: note)
            case (_, nil):
                try db.importCSV(into: table, from: url, format: csv, key: key, onBadRow: note, onProgress: show)
            }
        summary.rowCount += result.rowCount
        summary.hasCreatedTable = summary.hasCreatedTable || result.hasCreatedTable
        summary.errors += errors
        if !errors.isEmpty { summary.bad += try text(of: errors.compactMap(\.line), isFirst: summary.bad.isEmpty) }
    }

    /// The text of rows that begin on these lines, after the header.
    private func text(of lines: [Int], isFirst: Bool) throws -> [Data] {
        let content = try data ?? Data(contentsOf: url, options: .mappedIfSafe)
        let bad = Set(lines)
        var result: [Data] = []
        if format == .jsonl {
            for (index, line) in content.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            where bad.contains(index + 1) {
                result.append(line + Data("\n".utf8))
            }
            return result
        }
        // A row ends where the next one begins.
        var ends: [Int: Int] = [:]
        var previous: Int?
        let reader = try CSVReader(content, format: csv)
        while true {
            var line: Int?
            do { line = try reader.next()?.line } catch let error as ImportError { line = error.line }
            if let previous, bad.contains(previous) { ends[previous] = line ?? .max }
            guard let line else { break }
            previous = line
        }
        var end = 0
        for (index, line) in content.csvLines.enumerated() {
            if let next = ends[index + 1] { end = next }
            let isHeader = index == 0 && csv.header && isFirst
            guard isHeader || index + 1 < end else { continue }
            // The last line of a file may have no end.
            result.append(line.last == 0x0A || line.last == 0x0D ? line : line + Data("\n".utf8))
        }
        return result
    }
}

extension Data {
    /// The lines, with their ends: LF, CR LF or CR.
    fileprivate var csvLines: [Data] {
        var lines: [Data] = []
        var start = startIndex
        var index = startIndex
        while index < endIndex {
            let byte = self[index]
            index += 1
            guard byte == 0x0A || byte == 0x0D && !(index < endIndex && self[index] == 0x0A) else { continue }
            lines.append(self[start..<index])
            start = index
        }
        if start < endIndex { lines.append(self[start...]) }
        return lines
    }
}
