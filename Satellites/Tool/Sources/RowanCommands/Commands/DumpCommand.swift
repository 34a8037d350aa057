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
        discussion: """
            rowan backup players.sqlite players-backup.sqlite

            The copy has the permissions of the database.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The file of the copy.", completion: .file()) var copy: String
    @Flag(help: "Replace an existing file, or the file of a link, but not the database itself.") var force = false

    func run() async throws {
        let (path, copy) = (file.database, try target())
        // The copy appears when it is complete.
        let partial = "\(copy).partial-\(getpid())"
        // After a success, there is none.
        defer { DatabaseFile.remove(partial) }
        try await interruptible {
            let source = try DatabaseFile.explainingSync(path) { try DatabaseFile.open(path, isReadOnly: true) }
            // Others must not read it before it has the permissions of the database.
            let file = Foundation.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw Self.failure(copy) }
            close(file)
            let destination = try DatabaseFile.explainingSync(partial) { try DatabaseQueue(path: partial) }
            try DatabaseFile.explainingSync(path) {
                try source.backup(to: destination, pagesPerStep: 1024) { progress in
                    try Task.checkCancellation()
                    ProgressBar.show(progress.completedPageCount, of: progress.totalPageCount)
                }
            }
            ProgressBar.clear()
            try destination.close()
            var status = stat()
            guard stat(path, &status) == 0, chmod(partial, status.st_mode & 0o777) == 0 else {
                throw Self.failure(copy)
            }
        }
        // SQLite would apply the log of the replaced database to the copy.
        for suffix in DatabaseFile.suffixes where FileManager.default.fileExists(atPath: copy + suffix) {
            try FileManager.default.removeItem(atPath: copy + suffix)
        }
        guard rename(partial, copy) == 0 else { throw Self.failure(copy) }
    }

    /// The path of the copy, without links.
    private func target() throws -> String {
        try DatabaseFile.requirePath(copy)
        var status = stat()
        guard lstat(copy, &status) == 0 else { return copy }
        guard force else { throw Failure(message: "\(copy) exists: pass another file, or --force to replace it") }
        guard stat(copy, &status) == 0, let resolved = realpath(copy, nil) else { throw Self.failure(copy) }
        defer { free(resolved) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(message: "\(copy) is not a regular file: pass another file")
        }
        let target = String(cString: resolved)
        func files(_ path: String) -> Set<FileIdentity> {
            Set(([""] + DatabaseFile.suffixes).compactMap { FileIdentity(path + $0) })
        }
        guard files(file.database).isDisjoint(with: files(target)) else {
            throw Failure(message: "\(copy) is \(file.database) itself, or belongs to it: pass another file")
        }
        return target
    }

    private static func failure(_ path: String) -> Failure {
        Failure(message: "can't write \(path): \(String(cString: strerror(errno)))")
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
