// The protocol, tested with a dqlite node. ROWAN_NODE_ADDRESS is the address of the leader of a cluster of one node.

import Foundation
import Rowan
import RowanCluster
import Testing

private let nodeAddress = ProcessInfo.processInfo.environment["ROWAN_NODE_ADDRESS"]

@Suite(
    .enabled(if: nodeAddress != nil, "ROWAN_NODE_ADDRESS is not the address of a node"), .serialized,
    .timeLimit(.minutes(2)))
struct NodeTests {
    private let connection: NodeConnection
    private let database: UInt32

    private struct Unexpected: Error { let response: String }

    init() throws {
        let address = try NodeAddress(#require(nodeAddress))
        connection = try NodeConnection(address: address, deadline: .now + .seconds(5))
        var buffer = RequestBuffer()
        buffer.leader()
        buffer.client(id: 1)
        // Each test has a database of its own.
        try buffer.open(name: "wire-\(UInt64.random(in: 0 ... .max))")
        try connection.send(buffer, deadline: .now + .seconds(5))
        guard case .leader(let leader) = try connection.receive(deadline: .now + .seconds(5)), leader.id != 0 else {
            throw Unexpected(response: "no leader")
        }
        #expect(leader.address == address.description)
        guard case .welcome = try connection.receive(deadline: .now + .seconds(5)),
            case .database(let database) = try connection.receive(deadline: .now + .seconds(5))
        else { throw Unexpected(response: "no database") }
        self.database = database
    }

    /// The next response to the requests.
    private func response(_ fill: (inout RequestBuffer) throws -> Void) throws -> Response {
        var buffer = RequestBuffer()
        try fill(&buffer)
        try connection.send(buffer, deadline: .now + .seconds(30))
        return try connection.receive(deadline: .now + .seconds(30))
    }

    private func refusal(_ response: Response) -> NodeRefusal? {
        if case .failure(let refusal) = response { refusal } else { nil }
    }

    private func execute(_ sql: String, _ values: [DatabaseValue] = []) throws -> (rowID: Int64, changes: Int) {
        let response = try response { try $0.execSQL(db: database, sql: sql, values: values) }
        guard case .result(let counts) = response else { throw Unexpected(response: "\(response)") }
        return (counts.lastInsertedRowID, counts.changes)
    }

    /// All rows of a query, and the number of parts in which they arrive.
    private func rows(_ fill: (inout RequestBuffer) throws -> Void) throws -> ([[DatabaseValue]], partCount: Int) {
        var rows: [[DatabaseValue]] = []
        var partCount = 0
        var next = try response(fill)
        while true {
            guard case .rows(let part) = next else { throw Unexpected(response: "\(next)") }
            rows += try values(part)
            partCount += 1
            if part.isLast { return (rows, partCount) }
            next = try connection.receive(deadline: .now + .seconds(30))
        }
    }

    @Test func valuesOfAllStorageClasses() throws {
        _ = try execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value)")
        let values: [DatabaseValue] = [
            .null, Int64.min.databaseValue, Int64.max.databaseValue, 0.5.databaseValue,
            Double.infinity.databaseValue, "".databaseValue, "né 中 👩‍👩‍👧".databaseValue, "1234567".databaseValue,
            "12345678".databaseValue, Data().databaseValue, Data([0, 1, 255]).databaseValue,
            Data(repeating: 7, count: 100_000).databaseValue, String(repeating: "ä", count: 50_000).databaseValue,
        ]
        for (index, value) in values.enumerated() {
            let result = try execute("INSERT INTO t (value) VALUES (?)", [value])
            #expect(result.rowID == Int64(index + 1) && result.changes == 1)
        }
        _ = try execute("INSERT INTO t (value) VALUES (?)", [Double.nan.databaseValue])
        let (found, _) = try rows {
            try $0.querySQL(db: database, sql: "SELECT value, typeof(value) FROM t ORDER BY id")
        }
        #expect(found.map { $0[0].storage } == (values + [.null]).map(\.storage))
        #expect(found[values.count][1] == "null".databaseValue)
    }

    @Test func preparedStatements() throws {
        _ = try execute("CREATE TABLE t (a)")
        var buffer = RequestBuffer()
        try buffer.prepare(db: database, sql: "INSERT INTO t VALUES (?)")
        try buffer.prepare(db: database, sql: "SELECT a FROM t WHERE a > ? ORDER BY a")
        try connection.send(buffer, deadline: .now + .seconds(5))
        var ids: [UInt32] = []
        for _ in 0..<2 {
            let response = try connection.receive(deadline: .now + .seconds(5))
            guard case .statement(database, let id, 1) = response else { throw Unexpected(response: "\(response)") }
            ids.append(id)
        }
        // A single write in a transaction.
        buffer = RequestBuffer()
        try buffer.execSQL(db: database, sql: "BEGIN")
        for value in 0..<1_000 { try buffer.exec(db: database, statement: ids[0], values: [value.databaseValue]) }
        try buffer.execSQL(db: database, sql: "COMMIT")
        try connection.send(buffer, deadline: .now + .seconds(30))
        for _ in 0..<buffer.count {
            let response = try connection.receive(deadline: .now + .seconds(30))
            guard case .result = response else { throw Unexpected(response: "\(response)") }
        }
        let (found, _) = try rows { try $0.query(db: database, statement: ids[1], values: [996.databaseValue]) }
        #expect(
            found.map { $0[0] } == [
                997.databaseValue, 998.databaseValue, 999.databaseValue,
            ])
        guard case .empty = try response({ $0.finalize(db: database, statement: ids[0]) }) else {
            throw Unexpected(response: "no end")
        }
        // A node crashes if a finalized statement is used; it only recognizes statement ids that never existed.
        let unknown = try response { try $0.exec(db: database, statement: 99, values: [1.databaseValue]) }
        #expect(refusal(unknown) == NodeRefusal(code: 12, message: "no statement with the given id"))
    }

    @Test func longResults() throws {
        _ = try execute("CREATE TABLE t (a, b, c, d)")
        _ = try execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t SELECT i, i * 0.5, 'text ' || i, x'0102' FROM n
            """)
        let (found, partCount) = try rows { try $0.querySQL(db: database, sql: "SELECT * FROM t ORDER BY a") }
        #expect(found.count == 100_000)
        #expect(partCount > 1_000)
        #expect(found.map { $0[0] } == (1...100_000).map(\.databaseValue))
        #expect(
            found[99_999] == [
                100_000.databaseValue, 50_000.0.databaseValue, "text 100000".databaseValue, Data([1, 2]).databaseValue,
            ])
        // The connection is ready for the next request.
        let (one, _) = try rows { try $0.querySQL(db: database, sql: "SELECT 1") }
        #expect(one == [[1.databaseValue]])
    }

    @Test(arguments: [
        ("SELEC", 1, #"near "SELEC": syntax error"#),
        ("SELECT * FROM nowhere", 1, "no such table: nowhere"),
        ("", 0, "empty statement"),
        ("CREATE TABLE t (a)", 1, "not an error"),
        // A step that fails after the columns, and after a row.
        ("SELECT abs(-9223372036854775808)", 1, "integer overflow"),
        ("SELECT abs(column1) FROM (VALUES (1), (-9223372036854775808))", 1, "integer overflow"),
    ])
    func failuresOfQueries(_ sql: String, _ code: UInt64, _ message: String) throws {
        let response = try response { try $0.querySQL(db: database, sql: sql) }
        guard case .failure(let refusal) = response else { throw Unexpected(response: "\(response)") }
        #expect(refusal == NodeRefusal(code: code, message: message))
    }

    @Test func failuresOfStatements() throws {
        _ = try execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
        _ = try execute("INSERT INTO t VALUES (1)")
        let violation = try response { try $0.execSQL(db: database, sql: "INSERT INTO t VALUES (1)") }
        #expect(refusal(violation) == NodeRefusal(code: 1555, message: "UNIQUE constraint failed: t.a"))
        let rows = try response { try $0.execSQL(db: database, sql: "SELECT 1") }
        #expect(refusal(rows) == NodeRefusal(code: 100, message: "another row available"))
    }

    @Test func columnsThatLoseNULL() throws {
        _ = try execute("CREATE TABLE t (a BOOLEAN, b DATETIME)")
        _ = try execute("INSERT INTO t VALUES (NULL, NULL)")
        for column in ["a", "b"] {
            let error = #expect(throws: DatabaseError.self) {
                try rows { try $0.querySQL(db: database, sql: "SELECT \(column) FROM t") }
            }
            #expect(error?.resultCode == .SQLITE_MISMATCH)
            let (found, _) = try rows { try $0.querySQL(db: database, sql: "SELECT +\(column) FROM t") }
            #expect(found[0][0].isNull)
        }
    }

    @Test func requestsOfTheCluster() throws {
        let nodes = try response { $0.cluster() }
        guard case .nodes(let list) = nodes, list.count == 1 else { throw Unexpected(response: "\(nodes)") }
        #expect(list[0].address == nodeAddress && list[0].role == .voter)
        _ = try execute("CREATE TABLE t (a)")
        let dump = try response { try $0.dump(name: "nothing") }
        guard case .files(let files) = dump else { throw Unexpected(response: "\(dump)") }
        #expect(files.map(\.name) == ["nothing", "nothing-wal"])
        guard case .failure(let refusal) = try response({ $0.transfer(id: 77) }), refusal.code == 1 else {
            throw Unexpected(response: "transfer")
        }
    }
}
