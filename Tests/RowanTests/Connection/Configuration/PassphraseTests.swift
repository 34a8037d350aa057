// Encrypted databases, tested if the program runs with SQLCipher. Otherwise, passphrases are rejected.

import Foundation
import Rowan
import Testing

/// Whether the running SQLite encrypts.
let hasCodec =
    (try? DatabaseQueue().inDatabase { try Row.fetchOne($0, sql: "PRAGMA cipher_version") }) ?? nil != nil

struct ChosenSQLiteTests {
    /// `.ci/run` sets ROWAN_SQLITE to the name of the SQLite that it has built.
    @Test func theChosenOneRuns() {
        guard let name = ProcessInfo.processInfo.environment["ROWAN_SQLITE"] else { return }
        #expect(isSQLite(3_053_000))
        #expect(hasCodec == (name == "sqlcipher"))
    }
}

@Suite(.enabled(if: hasCodec, "the running SQLite has no codec"))
struct PassphraseTests {
    private let folder = try! TemporaryFolder()

    private func configuration(_ passphrase: String?) -> Configuration {
        var configuration = Configuration()
        if let passphrase { configuration.prepareDatabase { try $0.usePassphrase(passphrase) } }
        return configuration
    }

    private func values(_ kind: ConnectionKind, _ passphrase: String?) throws -> [Int] {
        try kind.make(path: folder.path("a.sqlite"), configuration(passphrase)).values()
    }

    private func make(_ kind: ConnectionKind, _ passphrase: String?) throws -> any DatabaseWriter {
        let writer = try kind.make(path: folder.path("a.sqlite"), configuration(passphrase))
        try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        return writer
    }

    @Test(arguments: ConnectionKind.files)
    func encryptedFile(_ kind: ConnectionKind) throws {
        let path = folder.path("a.sqlite")
        try make(kind, "secret").close()
        #expect(try !Data(contentsOf: URL(fileURLWithPath: path)).starts(with: Data("SQLite format 3".utf8)))
        #expect(try values(kind, "secret") == [1, 2])
        expectError(.SQLITE_NOTADB) { try values(kind, "Secret") }
        expectError(.SQLITE_NOTADB) { try values(kind, nil) }
    }

    @Test func plainFile() throws {
        try make(.fileQueue, nil).close()
        expectError(.SQLITE_NOTADB) { try values(.fileQueue, "secret") }
        #expect(try values(.fileQueue, nil) == [1, 2])
    }

    @Test func bytes() throws {
        let passphrase = Data([0x73, 0x00, 0xFF])
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            var bytes = passphrase
            defer { bytes.resetBytes(in: 0..<bytes.count) }
            try db.usePassphrase(bytes)
        }
        let path = folder.path("b.sqlite")
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        try queue.close()
        #expect(try DatabaseQueue(path: path, configuration: configuration).values() == [1])
        // The bytes after the NUL are part of the passphrase.
        var other = Configuration()
        other.prepareDatabase { try $0.usePassphrase(Data([0x73, 0x00, 0xFE])) }
        expectError(.SQLITE_NOTADB) { try DatabaseQueue(path: path, configuration: other) }
    }

    @Test func changingThatOfAQueue() throws {
        let writer = try make(.fileQueue, "secret")
        try writer.write { try $0.changePassphrase("new secret") }
        #expect(try writer.values() == [1, 2])
        try writer.close()
        expectError(.SQLITE_NOTADB) { try values(.fileQueue, "secret") }
        #expect(try values(.fileQueue, "new secret") == [1, 2])
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration("new secret"))
        try queue.inDatabase { try $0.changePassphrase(Data("third".utf8)) }
        try queue.close()
        #expect(try values(.fileQueue, "third") == [1, 2])
    }

    @Test func changingThatOfAPool() throws {
        try make(.pool, "secret").close()
        let passphrase = Mutex("secret")
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.usePassphrase(passphrase.withLock { $0 }) }
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        #expect(try pool.values() == [1, 2])
        try pool.barrierWriteWithoutTransaction { db in
            try db.changePassphrase("new secret")
            pool.invalidateReadOnlyConnections()
            passphrase.withLock { $0 = "new secret" }
        }
        try pool.write { try $0.insert(3) }
        #expect(try pool.values() == [1, 2, 3])
        try pool.close()
        #expect(try values(.pool, "new secret") == [1, 2, 3])
    }

    @Test func emptyPassphrases() throws {
        let message = "the passphrase is empty: pass at least one byte"
        try withDatabase { db in
            expectError(.SQLITE_MISUSE, message) { try db.usePassphrase("") }
            expectError(.SQLITE_MISUSE, message) { try db.usePassphrase(Data()) }
            expectError(.SQLITE_MISUSE, message) { try db.changePassphrase("") }
            expectError(.SQLITE_MISUSE, message) { try db.changePassphrase(Data()) }
        }
    }

    /// A plain file stays plain: SQLCipher encrypts no file in place.
    @Test func changingThatOfAPlainFile() throws {
        let writer = try make(.fileQueue, nil)
        #expect(throws: DatabaseError.self) { try writer.writeWithoutTransaction { try $0.changePassphrase("x") } }
        try writer.close()
        #expect(try values(.fileQueue, nil) == [1, 2])
    }

    @Test(arguments: [(nil, "secret"), ("secret", nil), ("secret", "other")] as [(String?, String?)])
    func export(_ from: String?, _ to: String?) throws {
        let path = folder.path("copy.sqlite")
        let writer = try make(.fileQueue, from)
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ? AS copy KEY ?;
                    SELECT sqlcipher_export('copy');
                    DETACH DATABASE copy;
                    """,
                arguments: [path, to ?? ""])
        }
        #expect(try DatabaseQueue(path: path, configuration: configuration(to)).values() == [1, 2])
        expectError(.SQLITE_NOTADB) { try DatabaseQueue(path: path, configuration: configuration("wrong")) }
    }

    @Test(arguments: [("secret", "secret"), ("secret", "other"), (nil, nil)] as [(String?, String?)])
    func backup(_ from: String?, _ to: String?) throws {
        let source = try make(.fileQueue, from)
        let copy = try DatabaseQueue(path: folder.path("copy.sqlite"), configuration: configuration(to))
        try source.backup(to: copy)
        #expect(try copy.values() == [1, 2])
    }

    /// A backup copies pages, so SQLite refuses it between a plain file and an encrypted one, with its own message.
    @Test(arguments: [("secret", nil), (nil, "secret")] as [(String?, String?)])
    func backupBetweenPlainAndEncrypted(_ from: String?, _ to: String?) throws {
        let source = try make(.fileQueue, from)
        let copy = try DatabaseQueue(path: folder.path("copy.sqlite"), configuration: configuration(to))
        expectError(.SQLITE_ERROR, "backup is not supported with encrypted databases") { try source.backup(to: copy) }
    }

    @Test func tracesHaveNoPassphrase() throws {
        let log = Log<String>()
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        configuration.prepareDatabase { db in
            db.trace { log.append($0.expandedDescription) }
            try db.usePassphrase("open sesame")
        }
        let queue = try DatabaseQueue(path: folder.path("c.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try queue.inDatabase { try $0.changePassphrase("close sesame") }
        #expect(!log.elements.isEmpty)
        #expect(!log.elements.contains { $0.contains("sesame") })
    }

    @Test func settings() throws {
        var configuration = configuration("secret")
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cipher_page_size = 8192; PRAGMA kdf_iter = 1000") }
        let path = folder.path("d.sqlite")
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        try queue.close()
        #expect(try DatabaseQueue(path: path, configuration: configuration).values() == [1])
        expectError(.SQLITE_NOTADB) { try DatabaseQueue(path: path, configuration: self.configuration("secret")) }
    }

    @Test func outsideOfAnAccess() throws {
        let kept = try DatabaseQueue().inDatabase { $0 }
        expectError(.SQLITE_MISUSE) { try kept.usePassphrase("secret") }
        expectError(.SQLITE_MISUSE) { try kept.changePassphrase("secret") }
    }
}

@Suite(.enabled(if: !hasCodec, "the running SQLite has a codec"))
struct PassphraseWithoutCodecTests {
    @Test func refusals() throws {
        let message = "this SQLite cannot encrypt a database: link the program with SQLCipher"
        try withDatabase { db in
            expectError(.SQLITE_ERROR, message) { try db.usePassphrase("secret") }
            expectError(.SQLITE_ERROR, message) { try db.usePassphrase(Data("secret".utf8)) }
            expectError(.SQLITE_ERROR, message) { try db.changePassphrase("secret") }
            expectError(.SQLITE_ERROR, message) { try db.changePassphrase(Data("secret".utf8)) }
        }
        // No data meant to be encrypted is left in plain text.
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.usePassphrase("secret") }
        for kind in ConnectionKind.files {
            let path = folder.path("\(kind).sqlite")
            expectError(.SQLITE_ERROR, message) { try kind.make(path: path, configuration) }
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(size ?? 0 == 0)
        }
    }
}
