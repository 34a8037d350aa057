import ArgumentParser
import Foundation
import Rowan

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks for damage and for what makes a database slow, and says what to do.",
        discussion: """
            rowan doctor players.sqlite
            rowan doctor players.sqlite --fix

            Reads the whole database. With --fix, writes it: the fixes that lose nothing are made in one transaction. An index that \
            a view or a trigger names is not dropped. The exit code is 1 if something remains to be done.
            """)

    @OptionGroup var file: DatabaseFile
    @Flag(help: "Make the fixes that lose nothing: indexes, statistics, the write-ahead log.") var fix = false
    @Flag(help: "Leave out the comparison of indexes with their tables.") var quick = false

    func run() async throws {
        let (path, quick) = (file.database, quick)
        var findings = try await file.readWithoutTransaction {
            try Checkup(db: $0, path: path, isQuick: quick).findings()
        }
        if fix {
            // Damaged pages must not be written.
            if let damage = findings.first(where: { $0.kind == .damage && $0.fix == nil }) {
                print(damage.text)
                throw Failure(message: "\(path) is damaged, so nothing was fixed")
            }
            let fixes = findings.compactMap(\.fix)
            let done = try await file.writeWithoutTransaction { db in
                // A checkpoint changes no data, and can't be in a transaction. It may have to wait for other programs.
                var done = try fixes.filter { $0 == Checkup.checkpoint }.filter { sql in
                    try Int.fetchOne(db, sql: sql) == 0
                }
                try db.inTransaction {
                    for sql in fixes where sql != Checkup.checkpoint {
                        try db.execute(sql: sql)
                        done.append(sql)
                    }
                    return .commit
                }
                return done
            }
            for sql in done { Console.printError("done: \(sql)") }
            findings = try await file.readWithoutTransaction {
                try Checkup(db: $0, path: path, isQuick: quick).findings()
            }
        }
        for finding in findings { print(finding.text) }
        let serious = findings.filter { $0.kind != .remark }
        guard serious.isEmpty else { throw Findings() }
        if findings.isEmpty { print("nothing to do") }
    }
}

/// Something that a checkup has found.
struct Finding: Sendable {
    enum Kind: String, Sendable { case damage, warning, remark }

    let kind: Kind
    let message: String
    /// What to do, for a person.
    let advice: String
    /// A statement that changes no row; nil if the fix is left to a person.
    var fix: String?

    var text: String {
        let label = Console.styled(kind.rawValue, kind == .remark ? .dim : .warning)
        return "\(label): \(message.onOneLine)\n  → \((fix.map { $0 + "   (rowan doctor --fix)" } ?? advice).onOneLine)"
    }
}
