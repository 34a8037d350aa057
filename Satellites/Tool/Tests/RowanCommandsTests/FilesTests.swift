// Copies, the standard output, and names that are not those of files.

import Foundation
import Rowan
import Testing

@Suite struct FilesTests {
    private let tool = try! Tool()

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: tool.path(name))[.posixPermissions] as? Int
    }

    private func rows(_ name: String) throws -> String {
        try tool.run("query", name, "SELECT a FROM t", "-f", "csv").output
    }

    // MARK: backup

    /// The log of a running program is not deleted.
    @Test func backupsOfADatabaseToItself() throws {
        let pool = try DatabasePool(path: tool.path("d.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        try FileManager.default.createSymbolicLink(atPath: tool.path("link.sqlite"), withDestinationPath: "d.sqlite")
        try FileManager.default.linkItem(atPath: tool.path("d.sqlite"), toPath: tool.path("hard.sqlite"))
        for copy in ["d.sqlite", "./d.sqlite", "link.sqlite", "hard.sqlite", "d.sqlite-wal"] {
            #expect(
                try tool.run("backup", "d.sqlite", copy, "--force")
                    == .init(
                        "", errors: "rowan: \(copy) is d.sqlite itself, or belongs to it: pass another file\n", code: 3)
            )
        }
        #expect(try tool.run("backup", "link.sqlite", "d.sqlite", "--force").code == 3)
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try rows("d.sqlite") == "a\r\n1\r\n2\r\n")
    }

    @Test func backupsReplaceOnlyFiles() throws {
        let path = try tool.database("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        #expect(mkfifo(tool.path("pipe"), 0o600) == 0)
        #expect(
            try tool.run("backup", path, "pipe", "--force")
                == .init("", errors: "rowan: pipe is not a regular file: pass another file\n", code: 3))
        var status = stat()
        #expect(lstat(tool.path("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(try tool.run("backup", path, tool.folder.path, "--force").code == 3)
        // A link is followed.
        try tool.database("CREATE TABLE t (a)", "old.sqlite")
        try FileManager.default.createSymbolicLink(atPath: tool.path("link.sqlite"), withDestinationPath: "old.sqlite")
        #expect(try tool.run("backup", path, "link.sqlite", "--force") == .init(""))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: tool.path("link.sqlite")) == "old.sqlite")
        #expect(try rows("old.sqlite") == "a\r\n1\r\n")
        try FileManager.default.createSymbolicLink(atPath: tool.path("broken.sqlite"), withDestinationPath: "nowhere")
        #expect(try tool.run("backup", path, "broken.sqlite").code == 3)
        #expect(try tool.run("backup", path, "broken.sqlite", "--force").code == 3)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: tool.path("broken.sqlite")) == "nowhere")
    }

    @Test func copiesHaveThePermissionsOfTheDatabase() throws {
        let path = try tool.database("CREATE TABLE t (a)")
        for mode in [0o600, 0o640, 0o400] {
            #expect(chmod(path, mode_t(mode)) == 0)
            #expect(try tool.run("backup", path, "copy-\(mode).sqlite") == .init(""))
            #expect(try permissions("copy-\(mode).sqlite") == mode)
        }
        #expect(
            try tool.run("backup", path, "none/copy.sqlite")
                == .init("", errors: "rowan: can't write none/copy.sqlite: No such file or directory\n", code: 3))
    }

    // MARK: Names

    @Test(arguments: [":memory:", "", "file:u.sqlite?mode=memory", "file:u.sqlite"])
    func namesThatAreNoFiles(_ name: String) throws {
        let file = try tool.write("a\n1\n", "t.csv")
        let imported = try tool.run("import", name, "t", file)
        #expect(imported.code == 2 && imported.output == "" && imported.errors.contains("pass the path of a file"))
        let path = try tool.database("CREATE TABLE t (a)")
        #expect(try tool.run("backup", path, name).code == 2)
        #expect(try tool.run("query", name, "SELECT 1").code == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).sorted() == ["d.sqlite", "t.csv"])
    }

    @Test func filesWithTheseNames() throws {
        let file = try tool.write("a\n1\n", "t.csv")
        for name in [":memory:", "file:u.sqlite"] {
            #expect(try tool.run("import", "./" + name, "t", file) == .init("imported 1 row into the new table t\n"))
            #expect(FileManager.default.fileExists(atPath: tool.path(name)))
            #expect(try rows("./" + name) == "a\r\n1\r\n")
        }
    }

    /// The journal of a program that stopped in a transaction.
    @Test func hotJournals() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (a);
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO t SELECT hex(zeroblob(100)) FROM n;
            """)
        let writer = try DatabaseQueue(path: path)
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 5; PRAGMA cache_spill = 1")
            try db.inTransaction {
                try db.execute(sql: "UPDATE t SET a = a || 'x'")
                for suffix in ["", "-journal"] {
                    try FileManager.default.copyItem(atPath: path + suffix, toPath: tool.path("hot.sqlite" + suffix))
                }
                return .rollback
            }
        }
        let message = """
            rowan: a program that stopped has left hot.sqlite in the middle of a transaction: undo it by opening the file for \
            writing, as in: rowan query --write hot.sqlite 'SELECT 1'

            """
        for arguments in [
            ["query", "hot.sqlite", "SELECT 1"], ["query", "hot.sqlite", "DELETE FROM t"], ["schema", "hot.sqlite"],
            ["doctor", "hot.sqlite"], ["dump", "hot.sqlite"], ["backup", "hot.sqlite", "copy.sqlite"],
            ["tail", "hot.sqlite", "t"], ["mcp", "hot.sqlite"], ["shell", "hot.sqlite"], ["inspect", "hot.sqlite"],
        ] {
            #expect(try tool.run(arguments) == .init("", errors: message, code: 3), "\(arguments)")
        }
        #expect(try tool.run("query", "--write", "hot.sqlite", "SELECT 1 AS a", "-f", "csv").code == 0)
        let sql = "SELECT count(*) AS n, sum(a LIKE '%x') AS changed FROM t"
        #expect(try tool.run("query", "hot.sqlite", sql, "-f", "csv").output == "n,changed\r\n2000,0\r\n")
    }

    /// Root can write anywhere, so the program runs as another user.
    private static let otherUser = "setpriv --reuid=65534 --clear-groups"
    private static let canTestPermissions =
        geteuid() != 0 || (["/usr/bin", "/bin"].contains { access($0 + "/setpriv", X_OK) == 0 })

    @Test(.enabled(if: canTestPermissions)) func foldersThatCannotBeWritten() throws {
        let user = geteuid() == 0 ? Self.otherUser : ""
        try FileManager.default.createDirectory(atPath: tool.path("ro"), withIntermediateDirectories: true)
        let pool = try DatabasePool(path: tool.path("open.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        for (name, suffix) in [("log", ""), ("log", "-wal"), ("plain", "")] {
            try FileManager.default.copyItem(
                atPath: tool.path("open.sqlite") + suffix, toPath: tool.path("ro/\(name).sqlite") + suffix)
        }
        try pool.close()
        try FileManager.default.copyItem(atPath: tool.path("open.sqlite"), toPath: tool.path("ro/checkpointed.sqlite"))
        #expect(chmod(tool.path("ro"), 0o555) == 0)
        defer { chmod(tool.path("ro"), 0o755) }
        for name in ["log", "checkpointed"] {
            for command in ["schema ro/\(name).sqlite", "query ro/\(name).sqlite 'SELECT * FROM t'"] {
                let output = try tool.shell("\(user) $rowan \(command)")
                let start =
                    "rowan: can't read ro/\(name).sqlite, because its write-ahead log needs files in the same folder"
                #expect(output.code == 3 && output.output == "" && output.errors.hasPrefix(start), "\(output)")
            }
        }
        let file = try tool.write("a\n1\n", "t.csv")
        #expect(
            try tool.shell("\(user) $rowan import ro/new.sqlite t \(file)").errors
                == "rowan: can't open ro/new.sqlite: Permission denied\n")
    }

    @Test func sentencesOfErrors() throws {
        let path = try tool.database("CREATE TABLE t (a)")
        let values = "pass -p NAME=VALUE for :NAME, and -p VALUE for ?"
        for (arguments, message) in [
            (
                ["query", path, "ATTACH 'none/x.sqlite' AS x", "--write"],
                "can't open none/x.sqlite, which the SQL names"
            ),
            (["explain", path, "SELECT 1; SELECT 2"], "there are several statements: pass one at a time"),
            (["query", path, "SELECT :a"], "the statement has another number of arguments than values: \(values)"),
            (["query", path, "SELECT :a, :b", "-p", "a=1"], "missing statement argument: b: \(values)"),
            (
                ["inspect", path, "--host", "nope.invalid"],
                "there is no host nope.invalid: pass an address of this machine as --host"
            ),
            (["migrate", "create", "a", "-m", path], "\(path): File exists"),
        ] {
            let output = try tool.run(arguments)
            #expect(output.code == 3 && output.errors.hasSuffix("rowan: \(message)\n"), "\(output)")
        }
        for script in [
            "$rowan query d.sqlite - < .", "$rowan import d.sqlite t - -f csv < .", "$rowan query d.sqlite - <&-",
        ] {
            let output = try tool.shell(script)
            #expect(output.code == 3 && output.errors.hasPrefix("rowan: can't read the standard input: "), "\(output)")
            #expect(!output.errors.contains("Cocoa"))
        }
    }

    // MARK: The standard output

    private static let printing = [
        "dump d.sqlite", "dump d.sqlite t", "query d.sqlite 'SELECT * FROM t'",
        "query d.sqlite 'SELECT * FROM t' -f csv",
        "schema d.sqlite", "profile d.sqlite t", "usage d.sqlite", "diagram d.sqlite", "diagram d.sqlite --svg",
        "explain d.sqlite 'SELECT * FROM t'", "doctor d.sqlite", "--help",
    ]

    @Test(arguments: printing) func aFullDisk(_ command: String) throws {
        try tool.database("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        #expect(
            try tool.shell("$rowan \(command) > /dev/full")
                == .init("", errors: "rowan: can't write the standard output: No space left on device\n", code: 3))
        let closed = try tool.shell("$rowan \(command) >&-")
        #expect(closed.code == 3 && closed.errors.hasPrefix("rowan: can't write the standard output"), "\(closed)")
    }

    /// More than what is written at the end.
    @Test func aDumpThatIsCutOff() throws {
        try tool.database(
            "CREATE TABLE t (a); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO t SELECT hex(i) FROM n"
        )
        let output = try tool.shell("$rowan dump d.sqlite > /dev/full")
        #expect(output.code == 3 && output.errors.contains("can't write the standard output"), "\(output)")
    }

    /// Standard files that are closed are not replaced by others.
    @Test func closedFiles() throws {
        let path = try tool.database("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(try tool.shell("$rowan backup d.sqlite copy.sqlite <&- >&- 2>&-") == .init(""))
        #expect(try rows("copy.sqlite") == "a\r\n1\r\n")
        #expect(try tool.shell("$rowan query d.sqlite 'SELECT nothing' 2>&-").code == 3)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    // MARK: Escape sequences

    /// Names and texts of a file don't reach the terminal as they are.
    @Test func errorsAreEscaped() throws {
        let path = try tool.database(
            "CREATE TABLE \"a\u{1B}]0;x\u{07}\" (\"c\u{1B}[2J\" INTEGER); CREATE INDEX i ON \"a\u{1B}]0;x\u{07}\" (1)")
        for arguments in [
            ["schema", path, "nope"], ["profile", path, "a\u{1B}]0;x\u{07}", "nope"],
            ["query", path, "SELECT \"\u{1B}[2J\".x"], ["schema", "\u{1B}[2J"], ["schema", path, "nope\rlong"],
            ["transform", path, "a\u{1B}]0;x\u{07}", "--drop", "nope"],
        ] {
            let output = try tool.run(arguments)
            #expect(output.code == 3)
            let controls = output.errors.unicodeScalars.filter {
                $0.properties.generalCategory == .control && $0 != "\n"
            }
            #expect(controls.isEmpty, "\(output.errors.debugDescription)")
        }
        #expect(try tool.run("schema", "\u{1B}[2J").errors == "rowan: there is no file \\u{1b}[2J\n")
    }

    @Test func definitionsInATerminal() throws {
        let path = try tool.database("CREATE TABLE t (a DEFAULT '\u{1B}[2J'); INSERT INTO t VALUES ('\u{1B}[2J')")
        for arguments in [["dump", path], ["transform", path, "t", "--dry-run"], ["schema", path]] {
            let terminal = try Terminal(tool, arguments)
            let end = terminal.finish()
            #expect(end.code == 0 && end.text.contains("\\u{1b}[2J"), "\(end)")
            #expect(!terminal.log.contains("\u{1B}[2J"))
        }
        // A file gets them as they are.
        #expect(try tool.run("dump", path).output.contains("\u{1B}[2J"))
    }
}
