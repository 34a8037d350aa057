// Changes of NOT NULL and CHECK. Since version 3.53, SQLite makes them without writing the rows.
// <https://sqlite.org/lang_altertable.html>

import RowanSQLText

extension TableSyntax {
    /// The changes of constraints that turn a table into this one, as the ends of ALTER TABLE statements.
    ///
    /// - Parameters:
    ///   - definition: the SQL of the existing table.
    ///   - columns: the columns of the existing table.
    /// - Returns: an empty array if the statements can't produce the text of this definition.
    func constraintChanges(from definition: String, _ columns: [ColumnInfo]) -> [SQL] {
        guard items.count == columns.count else { return [] }
        // This definition without the changes.
        var before = self
        var changes: [SQL] = []
        for (index, old) in columns.enumerated() where old.primaryKeyIndex == 0 {
            guard case .column(var column) = items[index] else { return [] }
            guard old.isNotNull != (column.notNullSQL != nil) else { continue }
            let name = column.name
            if let notNull = column.notNullSQL {
                var renderer = Renderer(values: .literal)
                column.write(to: &renderer)
                // SQLite appends it to the column.
                guard renderer.text.hasSuffix(notNull) else { return [] }
                changes.append("ALTER COLUMN \(identifier: name) SET\(sql: notNull)")
                column.notNullSQL = nil
            } else {
                changes.append("ALTER COLUMN \(identifier: name) DROP NOT NULL")
                column.notNullSQL = " NOT NULL"
            }
            before.items[index] = .column(column)
        }
        var words = Self.words(definition)
        changes += Self.removeNamedChecks(from: &words, missingIn: Set(self.words)).map { "DROP CONSTRAINT \(sql: $0)" }
        var added: [SQL] = []
        while before.words != words {
            guard let constraint = before.constraints.popLast() else { return [] }
            added.append("ADD \(constraint)")
        }
        return changes + added.reversed()
    }

    private var words: [String] {
        var renderer = Renderer(values: .literal)
        write(to: &renderer)
        return Self.words(renderer.text)
    }

    /// The tokens of a text as they are written. Unlike `SQLTokens`, they keep quotes, case and comments.
    private static func words(_ sql: String) -> [String] {
        var scanner = SQLScanner(sql)
        var words: [String] = []
        while let token = scanner.next() { words.append(scanner[token]) }
        return words
    }

    /// Removes the checks of a table whose names a new definition doesn't contain.
    ///
    /// - Returns: their names.
    private static func removeNamedChecks(from words: inout [String], missingIn new: Set<String>) -> [String] {
        var names: [String] = []
        var index = 0
        while index + 4 < words.count {
            let name = words[index + 2]
            guard words[index] == ",", words[index + 1].lowercased() == "constraint",
                words[index + 3].lowercased() == "check", !new.contains(name)
            else {
                index += 1
                continue
            }
            var (end, depth) = (index + 4, 1)
            while depth > 0, end + 1 < words.count {
                end += 1
                if words[end] == "(" { depth += 1 } else if words[end] == ")" { depth -= 1 }
            }
            words.removeSubrange(index...end)
            names.append(name)
        }
        return names
    }
}
