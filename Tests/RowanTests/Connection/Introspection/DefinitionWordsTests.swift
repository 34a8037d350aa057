import RowanSQLText
import Testing

@testable import Rowan

struct DefinitionWordsTests {
    @Test(
        arguments: [
            ("CREATE TABLE t (a PRIMARY KEY ON CONFLICT REPLACE)", [.conflict, .replace]),
            ("create table t(a integer primary key autoincrement)strict", [.autoincrement, .strict]),
            ("RAISE(IGNORE)", [.raise, .ignore]),
            ("or(replace)/**/Ignore\u{FEFF} \u{FEFF}\u{FEFF}raise", [.replace, .raise]),
            ("REPLACE", [.replace]),
            ("", []),
            // Words in texts, quoted names and comments are found, too: too many rather than too few.
            ("'replace' \"strict\" --ignore\n[raise]", [.replace, .strict, .ignore, .raise]),
            // Not keywords, but parts of other names.
            ("replaced _replace replace_ replace1 1replace $replace überreplace conflicts raise2 instrict", []),
            ("conflicconflict conflic conflict", [.conflict]),
            ("@replace:ignore", [.replace, .ignore]),
        ] as [(String, MentionedWords)])
    func mentionedWords(_ sql: String, _ words: MentionedWords) {
        #expect(MentionedWords(in: sql) == words)
    }

    @Test func theWordsOfASchema() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE Plain (a);
                    CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
                    CREATE TABLE replaced (a UNIQUE ON CONFLICT REPLACE);
                    CREATE TEMPORARY TABLE typed (a INTEGER) STRICT;
                    CREATE TRIGGER quiet BEFORE UPDATE ON Plain BEGIN SELECT RAISE(IGNORE); END;
                    CREATE INDEX byA ON Plain(a);
                    """)
            let words = try db.definitionWords()
            #expect(words.autoincrementing == ["counted"])
            #expect(words.replacing == ["replaced"])
            #expect(words.conflicting == ["replaced"])
            #expect(words.strict == ["typed"])
            #expect(words.triggering == ["plain"])
            #expect(words.ignoring == ["plain"])
            #expect(words.indexed == ["plain", "replaced"])
        }
    }
}
