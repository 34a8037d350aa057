import Foundation
import Rowan
import Testing

/// The article's code compiles with any SQLite, and runs with SQLCipher.
struct EncryptionArticleTests {
    @Test func article() throws { try Article("Encryption").check(ran: []) }

    @Test func versions() throws {
        let version = try DatabaseQueue().read { db in
            try String.fetchOne(db, sql: "PRAGMA cipher_version")
        }
        #expect((version != nil) == hasCodec)
    }

    @Test(.enabled(if: hasCodec, "the running SQLite has no codec"))
    func passphrases() throws {
        let folder = try TemporaryFolder()
        let dbQueue = try open(folder.path("secret.sqlite")) { "secret" }
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        try change(dbQueue)
        try export(dbQueue, to: folder.path("plain.sqlite"))
        try dbQueue.close()
        expectError(.SQLITE_NOTADB) { try open(folder.path("secret.sqlite")) { "secret" } }
        let plain = try DatabaseQueue(path: folder.path("plain.sqlite"))
        #expect(try plain.read { try Int.fetchOne($0, sql: "SELECT x FROM t") } == 1)

        let bytes = try openWithBytes(folder.path("secret.sqlite")) { Data("another passphrase".utf8) }
        #expect(try bytes.read { try Int.fetchOne($0, sql: "SELECT x FROM t") } == 1)
        try bytes.close()

        try changePool(DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration { "secret" }))
        #expect(throws: Never.self) { try open(folder.path("pool.sqlite")) { "another passphrase" } }
    }

    @Test(.enabled(if: !hasCodec, "the running SQLite has a codec"))
    func refusal() throws {
        let folder = try TemporaryFolder()
        expectError(.SQLITE_ERROR) { try open(folder.path("secret.sqlite")) { "secret" } }
    }

    private func configuration(_ passphrase: @escaping @Sendable () -> String) -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.usePassphrase(passphrase()) }
        return configuration
    }

    private func open(_ path: String, _ loadPassphrase: @escaping @Sendable () throws -> String) throws -> DatabaseQueue
    {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.usePassphrase(loadPassphrase())
        }
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        return dbQueue
    }

    private func openWithBytes(
        _ path: String, _ loadPassphraseData: @escaping @Sendable () throws -> Data
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            var passphrase = try loadPassphraseData()
            defer { passphrase.resetBytes(in: 0..<passphrase.count) }
            try db.usePassphrase(passphrase)
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func change(_ dbQueue: DatabaseQueue) throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.changePassphrase("another passphrase")
        }
    }

    private func changePool(_ dbPool: DatabasePool) throws {
        try dbPool.barrierWriteWithoutTransaction { db in
            try db.changePassphrase("another passphrase")
            dbPool.invalidateReadOnlyConnections()
        }
        try dbPool.close()
    }

    private func export(_ dbQueue: DatabaseQueue, to plainPath: String) throws {
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ? AS plaintext KEY '';
                    SELECT sqlcipher_export('plaintext');
                    DETACH DATABASE plaintext;
                    """,
                arguments: [plainPath])
        }
    }
}
