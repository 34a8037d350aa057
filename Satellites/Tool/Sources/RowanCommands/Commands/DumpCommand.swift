import ArgumentParser
import Foundation
import Rowan

struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump", abstract: "Prints a script that restores the database, or the rows of tables.",
        discussion: """
            rowan dump players.sqlite > players.sql
            rowan dump players.sqlite player --format csv > players.csv
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "A table or view, for its rows; by default, the whole database as SQL.") var table: String?
    @Option(name: [.short, .long], help: "The format of the rows: csv by default.") var format: RowFormat?

    func validate() throws {
        guard format == nil || table != nil else {
            throw ValidationError("--format is for the rows of a table: pass its name")
        }
    }

    func run() async throws {
        guard let table else { return try await file.read { try $0.dumpScript(to: TerminalStream.ifNeeded()) } }
        var options = try RowFormatOptions.parse([])
        options.format = format ?? .csv
        options.limit = 0
        let printer = options
        try await file.read { db in
            try printer.print("SELECT * FROM \(db.existingTable(table).quotedIdentifier)", [], db)
        }
    }
}

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a database that other programs may be using.",
        discussion: "rowan backup players.sqlite players-backup.sqlite")

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The file of the copy.", completion: .file()) var copy: String
    @Flag(help: "Replace an existing file.") var force = false

    func run() async throws {
        guard force || !FileManager.default.fileExists(atPath: copy) else {
            throw Failure(message: "\(copy) exists: pass another file, or --force to replace it")
        }
        // The copy appears when it is complete.
        let partial = "\(copy).partial-\(getpid())"
        let (path, copy) = (file.database, copy)
        defer { try? FileManager.default.removeItem(atPath: partial) }  // After a success, there is none.
        try await DatabaseFile.explaining(path) {
            try await interruptible {
                let source = try DatabaseFile.open(path, isReadOnly: true)
                let destination = try DatabaseQueue(path: partial)
                try source.backup(to: destination, pagesPerStep: 1024) { progress in
                    try Task.checkCancellation()
                    ProgressBar.show(progress.completedPageCount, of: progress.totalPageCount)
                }
                ProgressBar.clear()
                try destination.close()
            }
        }
        // SQLite would apply the log of the replaced database to the copy.
        for suffix in ["-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: copy + suffix) {
            try FileManager.default.removeItem(atPath: copy + suffix)
        }
        guard rename(partial, copy) == 0 else {
            throw Failure(message: "can't write \(copy): \(String(cString: strerror(errno)))")
        }
    }
}

/// A bar on the standard error, if it is a terminal.
enum ProgressBar {
    static func show(_ done: Int, of total: Int) {
        guard Console.showsProgress, total > 0 else { return }
        let share = Double(min(done, total)) / Double(total)
        let length = Int(share * 40)
        let bar = String(repeating: "█", count: length) + String(repeating: "░", count: 40 - length)
        try? FileHandle.standardError.write(contentsOf: Data("\r\(bar) \(Int(share * 100)) %".utf8))
    }

    static func clear() {
        guard Console.showsProgress else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
    }
}
