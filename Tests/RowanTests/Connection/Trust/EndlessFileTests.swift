// Files whose trees have no end: a few pages that point to each other many times.

import Foundation
import Rowan
import RowanSQLite
import Testing

@Suite struct EndlessFileTests {
    private let folder = try! TemporaryFolder()

    private static let trusts: [DatabaseTrust] = {
        var limits = SQLLimits()
        limits.time = .milliseconds(200)
        return [.untrustedFile, .untrustedSQL(limits), [.untrustedFile, .untrustedSQL(limits)]]
    }()

    private func configuration(_ trust: DatabaseTrust, checks: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.trust = trust
        if checks || trust == .untrustedFile { configuration.checksFileOnOpen = .milliseconds(200) }
        return configuration
    }

    /// Reading the schema ends in time, and so does reading the statistics, which follows it.
    @Test(arguments: ["schema", "statistics"], trusts) func endlessSchemas(tree: String, trust: DatabaseTrust) throws {
        let file = EndlessFile(
            """
            CREATE TABLE x(tbl, idx, stat); CREATE TABLE t(a); CREATE INDEX i ON t(a);
            INSERT INTO x VALUES ('t', 'i', '1 1'); PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1',
                sql = 'CREATE TABLE sqlite_stat1(tbl, idx, stat)' WHERE name = 'x';
            """)
        let path = folder.path("endless.sqlite")
        if tree == "schema" {
            // The other definitions are its first rows.
            try file.write(to: path, root: 1, row: ["index", "i", "t", 4, "CREATE INDEX i ON t(a)"])
        } else {
            try file.write(to: path, root: 2, row: ["t", "i", "1 1"])
        }
        // Without a limit for statements, the check has the only one.
        for checks in trust == .untrustedFile ? [true] : [false] {
            let configuration = configuration(trust, checks: checks)
            let result = Result {
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                return try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM t").count }
            }
            // SQLite takes a definition that is interrupted for a damaged one. It does without statistics.
            if tree == "statistics", configuration.checksFileOnOpen == nil {
                #expect(try result.get() == 0)
            } else {
                let error = #expect(throws: DatabaseError.self) { try result.get() }
                #expect(
                    [.SQLITE_INTERRUPT, .SQLITE_CORRUPT].contains(error?.resultCode), "\(String(describing: error))")
            }
        }
    }

    /// SQLite calls no progress handler while it counts the rows of a table.
    @Test func countedRows() throws {
        let path = folder.path("endless.sqlite")
        let file = EndlessFile("CREATE TABLE t(a); INSERT INTO t VALUES ('x')")
        try file.write(to: path, root: 2, row: ["x"])
        let queue = try DatabaseQueue(path: path, configuration: configuration(Self.trusts[2], checks: false))
        for _ in 0..<2 {
            expectError(
                .SQLITE_INTERRUPT, "the statement ran for more than 0.2 seconds: read less, or raise SQLLimits.time"
            ) {
                try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
            }
        }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }
}

extension EndlessFileTests {
    /// The thread that interrupts late statements must not reach a closed connection.
    @Test func connectionsThatCloseBeforeTheirLimit() throws {
        var limits = SQLLimits()
        limits.time = .milliseconds(10)
        var configuration = Configuration()
        configuration.trust = .untrustedSQL(limits)
        for closes in [true, false] {
            for _ in 0..<10 {
                let queue = try DatabaseQueue(configuration: configuration)
                try queue.read { db in
                    let rows = try Row.fetchCursor(db, sql: "VALUES (1), (2), (3)")
                    #expect(try rows.next()?[0] == 1)
                }
                if closes { try queue.close() }
            }
        }
        // The thread has looked twice.
        Thread.sleep(forTimeInterval: 0.3)
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }
}

/// A database with pages of 512 bytes, one of whose trees is replaced by one that never ends.
private struct EndlessFile {
    private let definition: String
    private static let pageSize = 512

    init(_ definition: String) { self.definition = definition }

    /// - Parameters:
    ///   - root: the page of the tree.
    ///   - row: the only row, which the tree contains 60¹² times.
    func write(to path: String, root: Int, row: [Any]) throws {
        var connection: OpaquePointer?
        sqlite3_open(path, &connection)
        #expect(sqlite3_exec(connection, "PRAGMA page_size = 512; \(definition)", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)
        var data = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let count = data.count / Self.pageSize
        let (leaf, first, depth) = (count + 1, count + 2, 12)
        let header = root == 1 ? 100 : 0
        let start = (root - 1) * Self.pageSize
        if root == 1 {
            // The rows of the schema are needed, before the endless ones.
            let old = [UInt8](data[0..<Self.pageSize])
            data += Self.page(13, [Self.cell(100, row)])
            for level in 0..<depth {
                data += Self.branches(to: level < depth - 1 ? first + level + 1 : leaf, count: 60)
            }
            var copy = old
            copy.replaceSubrange(0..<Self.pageSize, with: Self.moved(old))
            data += copy
            let schema = first + depth
            let page = Self.page(
                5,
                [Self.pointer(schema) + Self.varint(50)] + (0..<20).map { Self.pointer(first) + Self.varint(51 + $0) },
                right: first, header: 100)
            data.replaceSubrange(100..<Self.pageSize, with: page[100...])
        } else {
            data += Self.page(13, [Self.cell(3, row)])
            for level in 0..<depth {
                data += Self.branches(to: level < depth - 1 ? first + level + 1 : leaf, count: 60)
            }
            data.replaceSubrange(
                start + header..<start + Self.pageSize, with: Self.branches(to: first, count: 40)[header...])
        }
        data.replaceSubrange(28..<32, with: Self.pointer(data.count / Self.pageSize))
        try Data(data).write(to: URL(filePath: path))
    }

    /// The cells of the first page, as those of another one.
    private static func moved(_ first: [UInt8]) -> [UInt8] {
        var page = first
        page.replaceSubrange(0..<100, with: [UInt8](repeating: 0, count: 100))
        // The header and the places of the cells move to the start; the cells stay.
        let cellCount = Int(first[103]) << 8 | Int(first[104])
        let length = 8 + 2 * cellCount
        page.replaceSubrange(0..<length, with: first[100..<100 + length])
        return page
    }

    private static func branches(to page: Int, count: Int) -> [UInt8] {
        self.page(5, (0..<count).map { pointer(page) + varint(3 + $0) }, right: page)
    }

    private static func page(_ kind: UInt8, _ cells: [[UInt8]], right: Int? = nil, header: Int = 0) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: pageSize)
        var (end, places) = (pageSize, [UInt8]())
        for cell in cells {
            end -= cell.count
            page.replaceSubrange(end..<end + cell.count, with: cell)
            places += [UInt8(end >> 8), UInt8(end & 255)]
        }
        let start =
            [kind, 0, 0, UInt8(cells.count >> 8), UInt8(cells.count & 255), UInt8(end >> 8), UInt8(end & 255), 0]
            + (right.map(pointer) ?? []) + places
        page.replaceSubrange(header..<header + start.count, with: start)
        return page
    }

    private static func cell(_ rowID: Int, _ values: [Any]) -> [UInt8] {
        var (types, body) = ([UInt8](), [UInt8]())
        for value in values {
            if let integer = value as? Int {
                types += [1]
                body += [UInt8(integer)]
            } else if let text = value as? String {
                types += varint(13 + 2 * text.utf8.count)
                body += Array(text.utf8)
            }
        }
        let record = varint(types.count + 1) + types + body
        return varint(record.count) + varint(rowID) + record
    }

    private static func pointer(_ page: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(page).bigEndian, Array.init) }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number >> 7 | 128), UInt8(number & 127)]
    }
}
