// What the definitions of tables and triggers mention. SQLite tells neither that a conflict clause replaces rows, nor that
// a table counts its rowids.

/// The folded names of the tables whose definitions or triggers mention a word. Names and texts may contain it, too, and
/// schemas may have tables with the same name: the sets may be too large, but never too small.
package struct DefinitionWords {
    package var replacing: Set<String> = []
    package var autoincrementing: Set<String> = []
    /// The tables whose definitions mention conflict clauses.
    package var conflicting: Set<String> = []
    /// The tables whose definitions mention the word STRICT: their types are checked.
    package var strict: Set<String> = []
    /// The tables with triggers.
    package var triggering: Set<String> = []
    /// The tables with triggers that mention RAISE and IGNORE: they may ignore a change.
    package var ignoring: Set<String> = []
    /// The tables with indexes, those of constraints included.
    package var indexed: Set<String> = []
}

extension Database {
    /// What the definitions of the tables and of their triggers mention.
    package func definitionWords() throws -> DefinitionWords {
        try validateCache()
        if let known = schemaCache.definitionWords { return known }
        var words = DefinitionWords()
        for schema in try schemaIDs(nil) {
            let table = "\(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)"
            let rows = try Row.rows(of: makeStatement(sql: "SELECT * FROM \(table)"), [])
            // Not in SQL: a pragma and the program can redefine LIKE.
            for row in rows {
                let name = (row["tbl_name"] as String).foldedDatabaseName
                let type = row["type"] as String
                if type == "index" { words.indexed.insert(name) }
                guard type != "index", let sql = row["sql"] as String? else { continue }
                if type == "trigger" {
                    words.triggering.insert(name)
                    if sql.mentions("raise"), sql.mentions("ignore") { words.ignoring.insert(name) }
                }
                if type == "table" {
                    let definition = sql.foldedDatabaseName
                    if definition.contains("conflict") { words.conflicting.insert(name) }
                    if definition.contains("strict") { words.strict.insert(name) }
                }
                if sql.mentionsReplacement { words.replacing.insert(name) }
                if sql.mentions("autoincrement") { words.autoincrementing.insert(name) }
            }
        }
        schemaCache.definitionWords = words
        return words
    }
}

extension String {
    /// Whether the text contains the word REPLACE.
    var mentionsReplacement: Bool { mentions("replace") }

    /// Whether the text contains a word. The first letter of the word occurs nowhere else in it: a search that fails in the
    /// middle of the word starts again there.
    fileprivate func mentions(_ word: String) -> Bool {
        let word = Array(word.utf8)
        var matched = 0
        for byte in utf8 {
            let folded = byte | 0x20
            matched = folded == word[matched] ? matched + 1 : (folded == word[0] ? 1 : 0)
            if matched == word.count { return true }
        }
        return false
    }
}
