// A digest of what a database contains, which does not depend on the order of rows or the layout of the file.

import Foundation
public import Rowan

/// A digest of what a database contains: the number of rows of each table, and a hash of them.
///
/// ```swift
/// let before = try await pool.read { try DatabaseDigest($0) }
/// let after = try await copy.read { try DatabaseDigest($0) }
/// before.differences(to: after)   // ["place: 12 rows became 11"]
/// ```
///
/// It finds damage and lost rows. It is no protection against people who forge rows.
///
/// Article: <doc:RestoreDrills>.
public struct DatabaseDigest: Codable, Hashable, Sendable {
    /// The digest of a table.
    public struct Table: Codable, Hashable, Sendable {
        /// The number of rows.
        public var rows: Int
        /// A hash of the rows.
        public var hash: UInt64
    }

    /// The digests of all tables with rows of their own, by name. `sqlite_schema` stands for the definitions.
    public var tables: [String: Table]

    /// Reads a database.
    ///
    /// - Throws: a ``DatabaseError``, such as SQLITE_CORRUPT in a damaged file.
    /// - Complexity: reads all rows, and decodes all values.
    public init(_ db: Database) throws {
        tables = ["sqlite_schema": try Self.read(db, "SELECT type, name, tbl_name, sql FROM main.sqlite_master")]
        // Views and virtual tables have no rows of their own. The rows of a virtual table are those of other tables.
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0")
        for name in names {
            let table = try Self.read(db, "SELECT * FROM main.\(name.quotedDatabaseIdentifier)")
            // Two names may be equal for Swift, but not for SQLite.
            let known = tables[name] ?? Table(rows: 0, hash: 0)
            tables[name] = Table(rows: known.rows + table.rows, hash: known.hash &+ table.hash)
        }
    }

    private static func read(_ db: Database, _ sql: String) throws -> Table {
        var table = Table(rows: 0, hash: 0)
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() {
            var hash = RowHash()
            for index in 0..<row.count { try hash.add(row, index) }
            table.rows += 1
            // A sum, so that the order of the rows does not matter.
            table.hash &+= hash.value
        }
        return table
    }

    /// How another digest differs, one line for each table, in the order of their names.
    public func differences(to other: DatabaseDigest) -> [String] {
        Set(tables.keys).union(other.tables.keys).sorted().compactMap { name in
            switch (tables[name], other.tables[name]) {
            case (let old, let new) where old == new: nil
            case (_, nil): "\(name): the table is missing"
            case (nil, _): "\(name): there was no such table"
            case (let old?, let new?) where old.rows != new.rows: "\(name): \(old.rows) rows became \(new.rows)"
            default: name == "sqlite_schema" ? "the definitions differ" : "\(name): the rows differ"
            }
        }
    }
}

/// The hash of a row: FNV-1a over the types, lengths and bytes of its values, then mixed, as the hashes are added.
private struct RowHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var value: UInt64 {
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    mutating func add(_ row: Row, _ index: Int) throws {
        switch (row[index] as DatabaseValue).storage {
        case .null: add(0)
        case .int64(let integer): add(1, UInt64(bitPattern: integer))
        case .double(let double): add(2, double.bitPattern)
        // The bytes of the text itself, which need not be valid UTF-8.
        case .string: try row.withUnsafeData(atIndex: index) { add(3, $0 ?? Data()) }
        case .blob(let data): add(4, data)
        }
    }

    private mutating func add(_ type: UInt8, _ number: UInt64) {
        add(type)
        withUnsafeBytes(of: number.littleEndian) { for byte in $0 { add(byte) } }
    }

    private mutating func add(_ type: UInt8, _ data: Data) {
        add(type, UInt64(data.count))
        for byte in data { add(byte) }
    }

    private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
}
