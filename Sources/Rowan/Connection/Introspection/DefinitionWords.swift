// Words in the definitions of tables and triggers. SQLite reports neither that a conflict clause replaces rows nor that
// a table counts its rowids.

import RowanSQLText

/// The folded names of the tables whose definitions or triggers contain a word. Names and texts may also contain it,
/// and schemas may have tables with the same name, so the sets may be too large but never too small.
package struct DefinitionWords {
    package var replacing: Set<String> = []
    package var autoincrementing: Set<String> = []
    /// The tables whose definitions contain conflict clauses.
    package var conflicting: Set<String> = []
    /// The tables whose definitions contain the word STRICT: their types are checked.
    package var strict: Set<String> = []
    /// The tables whose definitions contain the word COLLATE.
    package var collating: Set<String> = []
    /// The tables whose definitions contain the word DEFERRED: their foreign keys may be checked at the end of the transaction.
    package var deferring: Set<String> = []
    /// The tables with triggers.
    package var triggering: Set<String> = []
    /// The tables with triggers that contain RAISE and IGNORE: they may ignore a change.
    package var ignoring: Set<String> = []
    /// The tables with indexes, including those of constraints.
    package var indexed: Set<String> = []
}

extension Database {
    /// The words in the definitions of tables and their triggers.
    package func definitionWords() throws -> DefinitionWords {
        try validateCache()
        if let known = schemaCache.definitionWords { return known }
        var words = DefinitionWords()
        for schema in try schemaIDs(nil) {
            let table = "\(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)"
            let rows = try connection.withoutScope {
                try Row.rows(of: makeStatement(sql: "SELECT * FROM \(table)"), [])
            }
            // Not in SQL, because LIKE can be redefined by a pragma or by the program.
            for row in rows {
                let name = (row["tbl_name"] as String).foldedDatabaseName
                // SQLite accepts a file with these in upper case.
                let type = (row["type"] as String).foldedDatabaseName
                if type == "trigger", connection.isTriggerOfScope(row["name"]) { continue }
                if type == "index" { words.indexed.insert(name) }
                guard type != "index", let sql = row["sql"] as String? else { continue }
                let mentioned = MentionedWords(in: sql)
                if type == "trigger" {
                    words.triggering.insert(name)
                    if mentioned.isSuperset(of: [.raise, .ignore]) { words.ignoring.insert(name) }
                }
                if type == "table" {
                    if mentioned.contains(.conflict) { words.conflicting.insert(name) }
                    if mentioned.contains(.strict) { words.strict.insert(name) }
                    if mentioned.contains(.collate) { words.collating.insert(name) }
                    if mentioned.contains(.deferred) { words.deferring.insert(name) }
                }
                // In a table, the word may also be the function.
                if mentioned.contains(.replace), type != "table" || mentioned.contains(.conflict) {
                    words.replacing.insert(name)
                }
                if mentioned.contains(.autoincrement) { words.autoincrementing.insert(name) }
            }
        }
        schemaCache.definitionWords = words
        return words
    }
}
