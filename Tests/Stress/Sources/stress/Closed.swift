// After `close`, each access throws SQLITE_MISUSE, or passes it to its callback: none stops the process.

import Foundation
import Rowan

extension Part {
    static let closed = Part(name: "closed", summary: "every access verb after close", weight: 0.2) { run in
        for kind in Kind.allCases {
            for (index, verb) in verbs.enumerated() where run.isWanted("\(kind): \(verb.name) after close") {
                run.count("verbs")
                let writer = try kind.open(run.folder.path("\(kind)-\(index).sqlite"))
                try close(writer)
                let hasRun = Locked(false)
                do {
                    try await verb.call(writer) { _ in hasRun.with { $0 = true } }
                    run.fail("\(kind): \(verb.name) after close succeeds")
                } catch {
                    let code = (error as? DatabaseError)?.resultCode
                    run.expect(code == .SQLITE_MISUSE, "\(kind): \(verb.name) after close throws \(error)")
                }
                run.expect(!hasRun.current, "\(kind): \(verb.name) after close runs its closure")
            }
        }
    }
}

private func close(_ writer: any DatabaseWriter) throws {
    try writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
    try writer.close()
    // Closing again has no effect.
    try writer.close()
}

private struct Verb: Sendable {
    typealias Body = @Sendable (Database) throws -> Void
    let name: String
    let call: @Sendable (any DatabaseWriter, @escaping Body) async throws -> Void
}

private func sync(
    _ name: String, _ call: @escaping @Sendable (any DatabaseWriter, Verb.Body) throws -> Void
) -> Verb {
    Verb(name: name) { writer, body in try call(writer, body) }
}

/// A method with a callback.
private func callback(
    _ name: String,
    _ call: @escaping @Sendable (any DatabaseWriter, @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void
) -> Verb {
    Verb(name: name) { writer, body in
        try await withCheckedThrowingContinuation { continuation in call(writer) { continuation.resume(with: $0) } }
    }
}

private var verbs: [Verb] {
    [
        sync("read") { try $0.read($1) },
        sync("unsafeRead") { try $0.unsafeRead($1) },
        sync("unsafeReentrantRead") { try $0.unsafeReentrantRead($1) },
        sync("write") { try $0.write($1) },
        sync("writeWithoutTransaction") { try $0.writeWithoutTransaction($1) },
        sync("barrierWriteWithoutTransaction") { try $0.barrierWriteWithoutTransaction($1) },
        sync("unsafeReentrantWrite") { try $0.unsafeReentrantWrite($1) },
        sync("inDatabase") { writer, body in
            guard let queue = writer as? DatabaseQueue else { return try writer.write(body) }
            try queue.inDatabase(body)
        },
        sync("vacuum") { writer, _ in try writer.vacuum() },
        sync("erase") { writer, _ in try writer.erase() },
        sync("backup") { writer, _ in try writer.backup(to: DatabaseQueue()) },
        sync("releaseMemory and interrupt") { writer, body in
            writer.interrupt()
            (writer as? DatabaseQueue)?.releaseMemory()
            (writer as? DatabasePool)?.releaseMemory()
            (writer as? DatabasePool)?.invalidateReadOnlyConnections()
            try writer.read(body)
        },
        Verb(name: "async read") { try await $0.read($1) },
        Verb(name: "async unsafeRead") { try await $0.unsafeRead($1) },
        Verb(name: "async write") { try await $0.write($1) },
        Verb(name: "async writeWithoutTransaction") { try await $0.writeWithoutTransaction($1) },
        Verb(name: "async barrierWriteWithoutTransaction") { try await $0.barrierWriteWithoutTransaction($1) },
        callback("asyncRead") { writer, done in writer.asyncRead { done($0.map { _ in }) } },
        callback("asyncUnsafeRead") { writer, done in writer.asyncUnsafeRead { done($0.map { _ in }) } },
        callback("asyncWrite") { writer, done in
            writer.asyncWrite { _ in
            } completion: {
                done($1)
            }
        },
        callback("asyncBarrierWriteWithoutTransaction") { writer, done in
            writer.asyncBarrierWriteWithoutTransaction { done($0.map { _ in }) }
        },
    ]
}
