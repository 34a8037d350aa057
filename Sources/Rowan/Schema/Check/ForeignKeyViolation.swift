// Rows that violate a foreign key. They exist where foreign keys were not enforced, and SQLite reports them on demand.

/// A row whose foreign key refers to no row.
///
/// ```swift
/// let violations = try db.foreignKeyViolations(in: "book")
/// while let violation = try violations.next() {
///     // FOREIGN KEY constraint violation - from book(authorId) to author(id), in [id:1 authorId:2 title:"Moby-Dick"]
///     print(try violation.failureDescription(db))
/// }
/// ```
///
/// Source: <https://sqlite.org/pragma.html#pragma_foreign_key_check>
public struct ForeignKeyViolation: FetchableRecord, Hashable, Sendable, CustomStringConvertible {
    /// The table that contains the foreign key.
    public var originTable: String
    /// The rowid of the row; nil in a table without rowid.
    public var originRowID: Int64?
    /// The table that the foreign key refers to.
    public var destinationTable: String
    /// The identifier of the foreign key: ``ForeignKeyInfo/id``.
    public var foreignKeyId: Int

    /// Creates a violation from a row of `PRAGMA foreign_key_check`.
    public init(row: Row) {
        originTable = row[0]
        originRowID = row[1]
        destinationTable = row[2]
        foreignKeyId = row[3]
    }

    /// The tables and the rowid of the row.
    public var description: String {
        let row = originRowID.map { ", in rowid \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(row)"
    }

    /// The tables, the columns, and the values of the row.
    ///
    /// - Throws: a ``DatabaseError`` if the table no longer exists.
    public func failureDescription(_ db: Database) throws -> String { try failure(db, in: nil, true) }

    /// The violation as an error: SQLITE_CONSTRAINT_FOREIGNKEY.
    ///
    /// The message is ``failureDescription(_:)``, or the ``description`` if the row can't be read.
    public func databaseError(_ db: Database) -> DatabaseError { databaseError(db, in: nil) }

    func databaseError(_ db: Database, in schemaName: String?) -> DatabaseError {
        // The row helps to understand the violation, which must be reported in any case.
        let message = (try? failure(db, in: schemaName, db.configuration.publicStatementArguments)) ?? description
        return DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: message)
    }

    /// - Parameter showsRow: whether to show the values of the row, which may be personal data.
    private func failure(_ db: Database, in schemaName: String?, _ showsRow: Bool) throws -> String {
        let foreignKey = try db.foreignKeys(on: originTable, in: schemaName).first { $0.id == foreignKeyId }
        func name(_ table: String, _ columns: [String]?) -> String {
            table + (columns.map { "(\($0.joined(separator: ", ")))" } ?? "")
        }
        let origin = name(originTable, foreignKey?.originColumns)
        let destination = name(destinationTable, foreignKey?.destinationColumns)
        let row =
            showsRow
            ? try originRow(db, in: schemaName).map { ", in \($0)" } ?? ""
            : originRowID.map { ", in rowid \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(origin) to \(destination)\(row)"
    }

    private func originRow(_ db: Database, in schemaName: String?) throws -> Row? {
        guard let originRowID, let rowID = try db.primaryKey(originTable, in: schemaName).rowIDName else { return nil }
        var table = originTable.quotedDatabaseIdentifier
        if let schemaName { table = "\(schemaName.quotedDatabaseIdentifier).\(table)" }
        return try Row.fetchOne(
            db, sql: "SELECT * FROM \(table) WHERE \(rowID.quotedDatabaseIdentifier) = ?", arguments: [originRowID])
    }
}
