// The changes of ALTER TABLE.

/// The changes of the columns of a table. <https://sqlite.org/lang_altertable.html>
///
/// Article: <doc:Schema>.
public final class TableAlteration {
    /// A change as the program declares it.
    enum Change {
        case add(ColumnDefinition)
        case addLiteral(SQL)
        case rename(String, String)
        case drop(String)

        /// The change, with the columns that foreign keys refer to.
        func resolved(in db: Database, table: String) throws -> ChangeSyntax {
            switch self {
            case .add(let definition):
                let schema = try db.tableExists(table, in: "temp") ? "temp" : "main"
                let keys = ReferencedKeys(db: db, schema: schema, tableName: "", ownKey: { [] })
                var column = definition.syntax
                column.references = try column.references.map { try keys.resolved($0, columnCount: 1) }
                return .add(column)
            case .addLiteral(let literal): return .addLiteral(literal)
            case .rename(let name, let newName): return .rename(name, newName)
            case .drop(let name): return .drop(name)
            }
        }
    }

    /// A change as it is written.
    enum ChangeSyntax {
        case add(ColumnSyntax)
        case addLiteral(SQL)
        case rename(String, String)
        case drop(String)

        func write(to renderer: inout Renderer) {
            switch self {
            case .add(let column):
                renderer.write("ADD COLUMN ")
                column.write(to: &renderer)
            case .addLiteral(let literal):
                renderer.write("ADD COLUMN ")
                renderer.write(literal)
            case .rename(let name, let newName):
                renderer.write("RENAME COLUMN ")
                renderer.write(identifier: name)
                renderer.write(" TO ")
                renderer.write(identifier: newName)
            case .drop(let name):
                renderer.write("DROP COLUMN ")
                renderer.write(identifier: name)
            }
        }
    }

    private(set) var changes: [Change] = []

    /// Adds a column.
    @discardableResult
    public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.add(column))
        return column
    }

    /// Adds a column, defined in SQL.
    public func addColumn(sql: String) { changes.append(.addLiteral(SQL(sql: sql))) }

    /// Adds a column, defined by a literal.
    public func addColumn(literal: SQL) { changes.append(.addLiteral(literal)) }

    /// Renames a column.
    public func rename(column name: String, to newName: String) { changes.append(.rename(name, newName)) }

    /// Deletes a column.
    public func drop(column name: String) { changes.append(.drop(name)) }
}
