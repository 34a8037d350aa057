// Deep expressions: chains of conditions may be arbitrarily long, and nesting that is too deep is an error, even on the
// small stacks of worker threads.

import Foundation
import Rowan
import Testing

/// Runs the closure on a thread with the stack size of a dispatch worker.
private func onSmallStack<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        // The frames of the address sanitizer are several times larger.
        let isSanitized = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__asan_init") != nil
        thread.stackSize = isSanitized ? 4 << 20 : 512 << 10
        thread.start()
    }
}

struct DeepExpressionTests {
    private static let x = Column("x")
    private static let table = Table("t").all()

    private static func withTable<T>(_ body: (Database) throws -> T) throws -> T {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t(x) VALUES (-1), (-2)")
            return try body(db)
        }
    }

    private static let conditions: [SQLExpression] = (0..<5_000).map { x != $0 }

    /// `a AND b AND c...`, built in every possible way.
    private static func chains(_ op: SQLExpression.AssociativeBinaryOperator) -> [SQLExpression] {
        let isAnd = op == .and
        let first = conditions[0]
        return [
            conditions.joined(operator: op),
            conditions.dropFirst().reduce(first) { isAnd ? $0 && $1 : $0 || $1 },
            conditions.dropFirst().reduce(first) { isAnd ? $1 && $0 : $1 || $0 },
        ]
    }

    @Test func definitionsThatAreTooDeep() throws {
        try withDatabase { db in
            let deep = Self.nested(5_000) { -$0 }
            let error = expectError(.SQLITE_ERROR) {
                try db.create(table: "t") { t in t.column("x").check { _ in deep } }
            }
            #expect(error?.message?.contains("with 5000 levels") == true)
        }
    }

    @Test func longChains() async throws {
        try await onSmallStack {
            try Self.withTable { db in
                let (ands, ors) = (Self.chains(.and), Self.chains(.or))
                for chain in ands + ors {
                    try #expect(Self.table.filter(chain).fetchCount(db) == 2)
                    try #expect(Self.table.filter(!chain).fetchCount(db) == 0)
                    try #expect(Self.table.filter(chain && Self.x == -1).fetchCount(db) == 1)
                    try #expect(Self.table.filter(chain).order(Self.x).limit(1).updateAll(db, Self.x.set(to: -2)) == 1)
                }
                let both = ands[1] || ors[2]
                try #expect(Self.table.filter(both).fetchCount(db) == 2)
                let texts = (0..<5_000).map { "\($0)".sqlExpression }.joined(operator: .concat)
                let text = try Self.table.select(texts, as: String.self).fetchOne(db)
                #expect(text == (0..<5_000).map { "\($0)" }.joined())
                let bits = (0..<5_000).map { ($0 & 7).sqlExpression }.joined(operator: .bitwiseOr)
                try #expect(Self.table.select(bits, as: Int.self).fetchOne(db) == 7)
            }
        }
    }

    @Test func manyFilters() throws {
        try Self.withTable { db in
            var request = Self.table
            for condition in Self.conditions { request = request.filter(condition) }
            try #expect(request.fetchCount(db) == 2)
        }
    }

    /// The SQL of a chain of typical length is flat.
    @Test func usualChainsAreFlat() throws {
        try Self.withTable { db in
            for chain in [
                Self.conditions.prefix(4).joined(operator: .and),
                Self.x != 0 && Self.x != 1 && Self.x != 2 && Self.x != 3,
            ] {
                let sql = try Self.table.filter(chain).makePreparedRequest(db).statement.sql
                #expect(
                    sql == #"SELECT * FROM "t" WHERE ("x" <> ?) AND ("x" <> ?) AND ("x" <> ?) AND ("x" <> ?)"#)
            }
            let sql = try Self.table.filter(Self.conditions.prefix(500).joined(operator: .or))
                .makePreparedRequest(db).statement.sql
            #expect(!sql.contains("(("))
        }
    }

    private static func nested(_ count: Int, _ step: (SQLExpression) -> SQLExpression) -> SQLExpression {
        (0..<count).reduce(x.sqlExpression) { expression, _ in step(expression) }
    }

    private static let steps: [@Sendable (SQLExpression) -> SQLExpression] = [
        { -$0 },
        { ~$0 },
        { $0 - 1 },
        { 1 - $0 },
        { ($0 == 1) == true },
        { 1 + $0 },
        { ($0 && x == 1) || x == 2 },
        { abs($0) },
        { $0 ?? 0 },
        { $0.like("a") },
        { [1, 2].contains($0) },
        { (1...2).contains($0) },
        { $0.collating(.nocase) },
        { cast($0, as: .integer) },
        { CaseExpression().when($0, then: 1).otherwise(2).sqlExpression },
        { SQL("1 + \($0)").sqlExpression },
        { table.select($0).sqlSubquery.sqlExpression },
        { table.order($0).limit(1).select(x).sqlSubquery.sqlExpression },
        { table.select(x).union(table.select($0)).sqlSubquery.sqlExpression },
        { table.filter($0).select(x).exists() },
        { table.select($0).contains(x) },
        { SQL("1 + (SELECT 1 FROM t ORDER BY \($0.desc))").sqlExpression },
        { Table("t").filter($0).select(x, as: Int.self) + 1 },
        { sum(x, filter: $0) },
        { rank().over(Window(partitionBy: [$0])).sqlExpression },
    ]

    @Test(arguments: steps.indices) func tooDeep(index: Int) async throws {
        let step = Self.steps[index]
        try await onSmallStack {
            try Self.withTable { db in
                let deep = Self.nested(5_000, step)
                // A copy can be compared and hashed.
                #expect(Set([deep.sqlExpression.hashValue]).count == 1)
                let error = expectError(.SQLITE_ERROR) { try Self.table.filter(deep).fetchCount(db) }
                #expect(error?.message?.contains("nested too deeply") == true, "\(error?.message ?? "")")
                expectError(.SQLITE_ERROR) { try Self.table.select(deep, as: Int.self).fetchOne(db) }
                expectError(.SQLITE_ERROR) { try Self.table.order(deep).fetchAll(db) }
                expectError(.SQLITE_ERROR) { try Self.table.updateAll(db, Self.x.set(to: deep)) }
                expectError(.SQLITE_ERROR) { try Self.table.filter(deep).deleteAll(db) }
                expectError(.SQLITE_ERROR) { try db.execute(literal: "SELECT \(deep) FROM t") }
                // At the maximum depth, SQLite decides.
                for count in [10, 24, 32, 48, 98, 99] {
                    do {
                        _ = try Self.table.filter(Self.nested(count, step)).fetchCount(db)
                    } catch let error as DatabaseError {
                        #expect(error.resultCode == .SQLITE_ERROR, "\(error.message ?? "")")
                    }
                }
            }
        }
    }

    /// SQLite nests a sum by one level per operand.
    @Test func longSums() async throws {
        try await onSmallStack {
            try Self.withTable { db in
                for op in [(+), (*)] as [(SQLExpression, SQLExpression) -> SQLExpression] {
                    let long = (0..<100_000).reduce(Self.x.sqlExpression) { sum, _ in op(sum, Self.x.sqlExpression) }
                    let error = expectError(.SQLITE_ERROR) { try Self.table.select(long, as: Int.self).fetchOne(db) }
                    #expect(error?.message?.contains("nested too deeply") == true, "\(error?.message ?? "")")
                }
                // Below SQLite's own limit.
                let sum = (0..<900).reduce(Self.x.sqlExpression) { sum, _ in sum + Self.x }
                try #expect(Self.table.select(sum, as: Int.self).fetchOne(db) == -901)
            }
        }
    }

    @Test func veryLongChains() async throws {
        try await onSmallStack {
            try Self.withTable { db in
                let x = Self.x.sqlExpression
                let ands = (0..<100_000).reduce(x) { chain, _ in chain && x }
                let ors = (0..<100_000).reduce(x) { chain, _ in x || chain }
                let bits = (0..<100_000).reduce(x) { chain, _ in chain & x }
                try #expect(Self.table.filter(ands).fetchCount(db) == 2)
                try #expect(Self.table.filter(ors).fetchCount(db) == 2)
                try #expect(Self.table.select(bits, as: Int.self).fetchAll(db) == [-1, -2])
                #expect(ands == (0..<100_000).reduce(x) { chain, _ in chain && x })
            }
        }
    }
}
