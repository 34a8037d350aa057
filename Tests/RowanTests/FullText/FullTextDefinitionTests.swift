// The SQL of full-text tables, option by option, and its acceptance by SQLite.

import Foundation
import Rowan
import Testing

private func sql(_ db: Database, _ name: String = "document") throws -> String? {
    try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name])
}

private func check<Module: VirtualTableModule>(
    _ module: Module, _ arguments: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping (Module.TableDefinition) throws -> Void
) throws {
    try withDatabase { db throws in
        for name in ["zip", "unzip", "zip it"] {
            db.add(function: DatabaseFunction(name, argumentCount: 1) { $0[0] })
        }
        try db.create(virtualTable: "document", using: module, body)
        let expected = "CREATE VIRTUAL TABLE \"document\" USING \(module.moduleName)(\(arguments))"
        #expect(try sql(db) == expected, sourceLocation: sourceLocation)
        try db.drop(table: "document")
        #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") == 0, sourceLocation: sourceLocation)
    }
}

let hostileColumnNames = [
    #"a"b"#, "a'b", "a`b", "a]b", "[a", "select", "order by", "👩‍👩‍👧", "é à", " x", ";", "--", "/* x */", "a.b", "?",
    ":name", "a,b",
    "(", ")", #""; DROP TABLE t; --"#, "'); DROP TABLE t; --", "a\nb", "\\", "%", "null", "*", "1a", "UNINDEXED",
    "content",
    "tokenize", "order", "prefix", "x y",
]

struct FullTextDefinitionTests {
    @Test func fts3() throws {
        try check(FTS3(), "content") { t in t.column("content") }
        try check(FTS3(), "author, title, tokenize=porter") { t in
            t.tokenizer = .porter
            t.column("author")
            t.column("title")
        }
        try check(FTS3(), "content, tokenize=simple") { t in
            t.tokenizer = .simple
            t.column("content")
        }
        try check(FTS3(), "content, tokenize=unicode61") { t in
            t.tokenizer = .unicode61()
            t.column("content")
        }
        try check(FTS3(), #"content, tokenize=unicode61 "remove_diacritics=0""#) { t in
            t.tokenizer = .unicode61(diacritics: .keep)
            t.column("content")
        }
        try check(
            FTS3(), #"content, tokenize=unicode61 "remove_diacritics=2" "separators='X" "tokenchars="".=é""#
        ) { t in
            t.tokenizer = .unicode61(
                diacritics: .remove, separators: ["X", "'"], tokenCharacters: ["é", "=", ".", "\""])
            t.column("content")
        }
    }

    @Test func withoutColumns() throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS3())
            #expect(try sql(db) == #"CREATE VIRTUAL TABLE "document" USING fts3"#)
            // SQLite's default column.
            #expect(try db.columns(in: "document").map(\.name) == ["content"])
        }
    }

    @Test func fts4() throws {
        try check(FTS4(), "content") { t in t.column("content") }
        try check(
            FTS4(),
            #"content, uuid, languageid="lid", notindexed=uuid, content="", prefix="2,4""#
        ) { t in
            t.content = ""
            t.prefixes = [4, 2]
            t.column("content")
            t.column("uuid").notIndexed()
            t.column("lid").asLanguageId()
        }
        try check(
            FTS4(),
            #"content, tokenize=porter, compress="zip", uncompress="unzip", matchinfo="fts3", order="desc""#
        ) { t in
            t.compress = "zip"
            t.uncompress = "unzip"
            t.matchinfo = "fts3"
            t.order = .descending
            t.tokenizer = .porter
            t.column("content")
        }
        try check(FTS4(), #"content, compress="zip it", uncompress="unzip", order="asc""#) { t in
            t.compress = "zip it"
            t.uncompress = "unzip"
            t.order = .ascending
            t.prefixes = []
            t.column("content")
        }
    }

    @Test func fts5() throws {
        try check(FTS5(), "content") { t in t.column("content") }
        try check(FTS5(), "author, title, body, tokenize='''porter'''") { t in
            t.tokenizer = .porter()
            t.column("author")
            t.column("title")
            t.column("body")
        }
        try check(
            FTS5(),
            "content, uuid UNINDEXED, content='table', content_rowid='id', prefix='2 4', columnSize=0, detail=column"
        ) { t in
            t.column("content")
            t.column("uuid").notIndexed()
            t.content = "table"
            t.contentRowID = "id"
            t.prefixes = [2, 4]
            t.columnSize = 0
            t.detail = "column"
        }
        try check(FTS5(), "content, content=''") { t in
            t.content = ""
            t.column("content")
        }
    }

    @Test func recentOptionsOfFTS5() throws {
        func arguments(_ body: (FTS5TableDefinition) -> Void) throws -> [String] {
            try withDatabase { db throws in
                let definition = FTS5().makeTableDefinition(configuration: .init(isTemporary: false))
                body(definition)
                return try FTS5().moduleArguments(for: definition, in: db)
            }
        }
        let options = try arguments { t in
            t.contentlessDelete = true
            t.contentlessUnindexed = true
            t.locale = true
        }
        #expect(options == ["contentless_delete=1", "contentless_unindexed=1", "locale=1"])
        guard isSQLite(3_047_000) else { return }
        // Not `check`: SQLite 3.53 does not drop the content of such a table.
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.content = ""
                t.contentlessDelete = true
                t.contentlessUnindexed = true
                t.locale = true
                t.column("a")
                t.column("b").notIndexed()
            }
            let options = "content='', contentless_delete=1, contentless_unindexed=1, locale=1"
            #expect(try sql(db) == "CREATE VIRTUAL TABLE \"document\" USING fts5(a, b UNINDEXED, \(options))")
        }
    }

    @Test func tokenizersOfFTS5() throws {
        let tokenizers: [(FTS5TokenizerDescriptor, String)] = [
            (.ascii(), "'ascii'"),
            (.ascii(separators: ["X"], tokenCharacters: ["-", "'"]), "'ascii' 'separators' 'X' 'tokenchars' '''-'"),
            (.unicode61(), "'unicode61'"),
            (.unicode61(diacritics: .keep), "'unicode61' 'remove_diacritics' '0'"),
            (.unicode61(diacritics: .remove), "'unicode61' 'remove_diacritics' '2'"),
            (.unicode61(categories: "L* N* Co Mn"), "'unicode61' 'categories' 'L* N* Co Mn'"),
            (
                .unicode61(separators: ["é", "X"], tokenCharacters: [".", "\"", "€"]),
                "'unicode61' 'separators' 'Xé' 'tokenchars' '\".€'"
            ),
            (.porter(), "'porter'"), (.porter(wrapping: .ascii()), "'porter' 'ascii'"),
            (.porter(.ascii()), "'porter' 'ascii'"),
            (.porter(wrapping: .unicode61(diacritics: .keep)), "'porter' 'unicode61' 'remove_diacritics' '0'"),
            (.trigram(), "'trigram'"), (.trigram(caseSensitive: true), "'trigram' 'case_sensitive' '1'"),
            (.init(components: ["ascii", "tokenchars", ""]), "'ascii' 'tokenchars' ''"),
        ]
        for (tokenizer, text) in tokenizers {
            let option = "'" + text.replacing("'", with: "''") + "'"
            try check(FTS5(), "content, tokenize=\(option)") { t in
                t.tokenizer = tokenizer
                t.column("content")
            }
        }
        #expect(FTS5TokenizerDescriptor.porter(wrapping: .ascii()).components == ["porter", "ascii"])
        expectError(.SQLITE_MISUSE) {
            try check(FTS5(), "") { t in t.tokenizer = FTS5TokenizerDescriptor(components: []) }
        }
        expectError(.SQLITE_ERROR, "no such tokenizer: nope") {
            try check(FTS5(), "") { t in
                t.tokenizer = FTS5TokenizerDescriptor(components: ["nope"])
                t.column("content")
            }
        }
    }

    @Test(arguments: hostileColumnNames) func hostileColumns(name: String) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "t3", using: FTS3()) { t in t.column(name) }
            try db.create(virtualTable: "t4", using: FTS4()) { t in
                t.column(name).notIndexed()
                t.column("body")
            }
            try db.create(virtualTable: "t5", using: FTS5()) { t in
                t.column(name).notIndexed()
                t.column("body")
            }
            #expect(try db.columns(in: "t3").map(\.name) == [name])
            #expect(try db.columns(in: "t4").map(\.name) == [name, "body"])
            #expect(try db.columns(in: "t5").map(\.name) == [name, "body"])
            try db.execute(literal: "INSERT INTO t5 (\(identifier: name), body) VALUES ('a', 'b')")
            #expect(try String.fetchOne(db, literal: "SELECT \(identifier: name) FROM t5") == "a")
        }
    }

    /// A NUL would end the SQL.
    @Test func namesWithNUL() throws {
        try withDatabase { db throws in
            for name in ["\0", "a\0b"] {
                expectError(.SQLITE_ERROR) { try db.create(virtualTable: name, using: FTS5()) { t in t.column("a") } }
                expectError(.SQLITE_ERROR) { try db.create(virtualTable: "t", using: FTS5()) { t in t.column(name) } }
                expectError(.SQLITE_ERROR) {
                    try db.create(virtualTable: "t", using: FTS4()) { t in
                        t.column("a")
                        t.tokenizer = .unicode61(separators: [Character(name.prefix(0) + "\0")])
                    }
                }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") == 0)
        }
    }

    @Test func languages() throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS4()) { t in
                t.column("content")
                t.column("lid").asLanguageId()
            }
            try db.execute(sql: "INSERT INTO document (content, lid) VALUES ('chat', 1), ('chat', 2)")
            let rows = try Int.fetchAll(db, sql: "SELECT rowid FROM document WHERE document MATCH 'chat' AND lid = 2")
            #expect(rows == [2])
        }
    }
}

extension String {
    fileprivate static func fetchOne(_ db: Database, literal: SQL) throws -> String? {
        try SQLRequest<String>(literal: literal).fetchOne(db)
    }
}
