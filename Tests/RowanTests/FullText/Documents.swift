// The full-text table of the tokenizer tests.

import Rowan

extension Database {
    func createDocuments(_ tokenizer: FTS5TokenizerDescriptor) throws {
        try create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.column("body")
        }
    }

    func insertDocuments(_ texts: String...) throws {
        for text in texts { try execute(sql: "INSERT INTO document VALUES (?)", arguments: [text]) }
    }

    func searchDocuments(_ text: String) throws -> [Int] {
        let pattern = FTS5Pattern(matchingAllTokensIn: text)
        return try Table("document").matching(pattern).select(Column.rowID, as: Int.self).order(Column.rowID).fetchAll(
            self)
    }
}
