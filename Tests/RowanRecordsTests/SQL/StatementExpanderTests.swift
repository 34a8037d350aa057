// The expansions of #sql, and its errors.

import Foundation
@testable import RowanPluginMessages
@testable import RowanSQLExpansion
import Rowan
import Testing

@Suite("The expansion of #sql")
final class StatementExpanderTests {
    private let folder: URL
    private let expander = StatementExpander()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("Rowan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Sources/App"), withIntermediateDirectories: true)
        try write(
            "CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE \"a b\" (c);\n"
                + "-- rowan: record Spot place\n")
    }

    deinit {
        // The system deletes leftover temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    private func write(_ schema: String, to path: String = "schema.sql") throws {
        try Data(schema.utf8).write(to: folder.appendingPathComponent(path))
    }

    private func answer(_ source: String, in context: [String] = []) -> PluginAnswer {
        func piece(_ source: String) -> SourcePiece {
            SourcePiece(
                source: source,
                location: .init(fileName: folder.appendingPathComponent("Sources/App/a.swift").path, offset: 100))
        }
        return expander.expand(
            FreestandingExpansion(
                macro: MacroReference(moduleName: "RowanRecordsPlugin", typeName: "SQLMacro", name: "sql"),
                syntax: piece(source), lexicalContext: context.map(piece)))
    }

    private func expansion(_ source: String, in context: [String] = []) -> String? {
        guard case .expansion(let text, let problems) = answer(source, in: context) else { return nil }
        return text?.replacingOccurrences(of: ", _SchemaStamp.self)", with: ")") ?? problems.map(\.message).joined()
    }

    /// The only error: its message, the source from its location on, and the source with the fix-it applied.
    private func problem(_ source: String) -> (message: String, place: String, changed: String?) {
        guard case .expansion(nil, let problems) = answer(source), problems.count == 1 else { return ("", "", nil) }
        let bytes = Array(source.utf8)
        let changed = problems[0].fixIts.first?.changes.first.map { change in
            String(decoding: bytes[..<(change.range.startOffset - 100)], as: UTF8.self) + change.newText
                + String(decoding: bytes[(change.range.endOffset - 100)...], as: UTF8.self)
        }
        let offset = problems[0].position.offset - 100
        return (problems[0].message, String(decoding: bytes[offset...].prefix(10), as: UTF8.self), changed)
    }

    @Test("Interpolations get the label of their checked kind")
    func expansions() {
        let cases = [
            (#"#sql("SELECT 1")"#, #"_checkedSQL("SELECT 1")"#),
            (
                #"#sql("SELECT id FROM place WHERE id = \(id) AND title IN \(a + b)")"#,
                #"_checkedSQL("SELECT id FROM place WHERE id = \(_value: id) AND title IN \(_list: a + b)")"#
            ),
            (
                ##"#sql(#"SELECT \#(Place.Columns.title), \#(Column("id")) FROM \#(App.Place.self)"#)"##,
                ##"_checkedSQL(#"SELECT \#(_column: Place.Columns.title, "title"), \#(_column: Column("id"), "id") FROM \#(_table: App.Place.self, "place")"#)"##
            ),
            (
                "#RowanRecords.sql(\n    \"\"\"\n    SELECT *\n    FROM \\(Spot.self)\n    \"\"\"\n)",
                "_checkedSQL(\"\"\"\n    SELECT *\n    FROM \\(_table: Spot.self, \"place\")\n    \"\"\")"
            ),
            (
                #"#sql("DELETE FROM place WHERE id in(\(id)); DELETE FROM place WHERE title = \(place.title)")"#,
                #"_checkedStatements("DELETE FROM place WHERE id in(\(_value: id)); DELETE FROM place WHERE title = \(_value: place.title)")"#
            ),
            (
                #"#sql("SELECT \(Column("c")) FROM \("a b".x)")"#,
                "SQLite: near \"?\": syntax error"
            ),
        ]
        for (source, expected) in cases { #expect(expansion(source) == expected) }
        #expect(
            expansion(#"#sql("DELETE FROM \(Self.self)")"#, in: ["func all() {}", "struct Place {}", "enum App {}"])
                == #"_checkedSQL("DELETE FROM \(_table: Self.self, "place")")"#)
        #expect(
            expansion(
                #"#sql("SELECT 1 FROM place WHERE id IN/* a */ -- b\n\(ids)AND title=\(title)AND\(Column("id"))>0",)"#)
                == #"_checkedSQL("SELECT 1 FROM place WHERE id IN/* a */ -- b\n\(_list: ids)AND title=\(_value: title)AND\(_column: Column("id"), "id")>0")"#
        )
        #expect(
            expansion(#"#sql("DELETE FROM \(Self.self)")"#, in: ["extension App.Place {}"])
                == #"_checkedSQL("DELETE FROM \(_table: Self.self, "place")")"#)
    }

    @Test(
        "The type around an expression",
        arguments: [
            ("final class Place {}", true), ("@App.Model(a: (class, 1)) @MainActor private(set) struct Place {}", true),
            ("public extension App.Place where A == B {}", true), ("actor `Place`: Sendable {}", true),
            ("enum Place<class> {}", true), ("struct App {}", false),
            ("class func all(class: Int) {}", false), ("func all(struct place: Int) {}", false),
            ("static func class() {}", false), ("init(struct Place: Int) {}", false),
            ("{ (struct: Place) in }", false), ("class var all: Int {}", false), ("#if struct Place", false),
        ])
    func surroundingType(_ declaration: String, isPlace: Bool) {
        let found = expansion(#"#sql("DELETE FROM \(Self.self)")"#, in: [declaration, "struct Place {}"])
        let other = expansion(#"#sql("DELETE FROM \(Self.self)")"#, in: [declaration])
        // The function is in the next type.
        let isOther = declaration.hasPrefix("struct App")
        #expect(found?.hasPrefix("_checkedSQL") == !isOther)
        #expect(other?.hasPrefix("_checkedSQL") == isPlace)
    }

    @Test("An error of SQLite is at its location, with a fix-it")
    func errors() {
        var found = problem(#"#sql("SELECT \n titel FROM place WHERE id = \(id)")"#)
        #expect(found.message == "SQLite: no such column: titel. Is it 'title'?")
        #expect(found.place == "titel FROM")
        #expect(found.changed == #"#sql("SELECT \n title FROM place WHERE id = \(id)")"#)
        found = problem("#sql(\"\"\"\n    SELECT id\n    FROM plcae\n    WHERE id = \\(id)\n    \"\"\")")
        #expect(found.message == "SQLite: no such table: plcae. Is it 'place'?")
        #expect(found.place == "plcae\n    ")
        found = problem(#"#sql("SELECT id FROM place WHERE id = \(id) AN title = \(title)")"#)
        #expect(found == (#"SQLite: near "AN": syntax error"#, "AN title =", nil))
        found = problem(#"#sql("SELECT \(Place.Columns.name) FROM place")"#)
        // Later versions of SQLite add quotes.
        #expect(
            found.message.replacing("\"name\"", with: "name")
                == "SQLite: no such column: name. #sql takes the name from the member: if the column has another name, "
                + "write it as text")
        #expect(found.place == "Place.Colu")
        found = problem(#"#sql("SELECT 1 FROM \(Town.self)")"#)
        #expect(
            found.message
                == "SQLite: no such table: town. 'Town' stands for this table: if it has another name, declare it in "
                + "schema.sql with '-- rowan: record Town <table>'")
        #expect(found.place == "Town.self)")
    }

    private struct NoProblem: Error {}

    @Test("A statement has no effect on later ones")
    func effects() throws {
        for sql in ["PRAGMA hard_heap_limit = 1000", "PRAGMA trusted_schema = OFF", "PRAGMA writable_schema = 1"] {
            #expect(expansion("#sql(\"\(sql)\")")?.hasPrefix("_checked") == true)
        }
        #expect(expansion(#"#sql("SELECT title FROM place")"#)?.hasPrefix("_checked") == true)
        #expect(expansion(#"#sql("ATTACH 'x' AS y")"#) == "SQLite: not authorized")
        // A valid name that doesn't exist has no suggestion.
        let found = problem(#"#sql("SELECT place.title FROM \(Column("a b"))")"#)
        #expect(found == ("SQLite: no such column: place.title", "title FROM", nil))
    }

    @Test("Statements that #sql can't check")
    func refused() throws {
        for (sql, parameter, place) in [
            (#"SELECT id FROM place WHERE id = ? OR id = \(id)"#, "?", "? OR id = "),
            (#"SELECT id FROM place WHERE id = ? AND title = '\(title)'"#, "", "title)'\")"),
            (#"SELECT id FROM place WHERE id IN \(ids) AND title = ?1"#, "?1", "?1\")"),
            (#"SELECT id FROM place WHERE id = :name OR id = \(id)"#, ":name", ":name OR i"),
            ("SELECT id FROM place WHERE id = @a", "@a", "@a\")"),
            ("SELECT id FROM place WHERE id = $a1", "$a1", "$a1\")"),
            (#"SELECT \(id)1 FROM place"#, "", "id)1 FROM "), (#"SELECT /* \(id)"#, "", "id)\")"),
            (#"SELECT id FROM place -- \(id)"#, "", "id)\")"), (#"SELECT [\(id)] FROM place"#, "", "id)] FROM "),
            (#"SELECT id FROM place WHERE title LIKE '%\(text)%'"#, "", "text)%'\")"),
            (#"SELECT id FROM place WHERE title = '\(Place.self)'"#, "", "Place.self"),
            (#"SELECT id FROM place WHERE id IN /* IN \(ids) */ (1)"#, "", "ids) */ (1"),
        ] {
            let found = problem("#sql(\"\(sql)\")")
            #expect(
                found.message
                    == (parameter.isEmpty
                        ? "an interpolation stands inside a text, a name, a number or a comment of the SQL: write it "
                            + "outside, as in \"'%' || \\(value) || '%'\""
                        : "#sql takes values by interpolation only: write '\\(value)' in place of '\(parameter)'"))
            #expect(found.place == place)
        }
        // This isn't a parameter.
        #expect(
            expansion(#"#sql("SELECT '?', \"\"\"?\", x'00' /* :a */ -- @b")"#)?.hasPrefix("SQLite: no such column")
                == true)
        let inside = expander.expand(
            FreestandingExpansion(
                macro: MacroReference(moduleName: "RowanRecordsPlugin", typeName: "SQLMacro", name: "sql"),
                syntax: SourcePiece(
                    source: #"#sql("SELECT 1")"#,
                    location: .init(fileName: "@__swiftmacro_3App6expect.swift", offset: 0)),
                lexicalContext: []))
        guard case .expansion(nil, let problems) = inside else { throw NoProblem() }
        #expect(
            problems.map(\.message) == [
                "#sql can't find its 'schema.sql' inside of another macro: write it before, as a constant"
            ])
        var found = problem(#"#sql("SELECT 1") { 2 }"#)
        #expect(found.message.hasPrefix("#sql checks a single string literal"))
        found = problem(#"#sql("SELECT 1 " + "FROM place")"#)
        #expect(found.message.hasPrefix("#sql checks a single string literal"))
        #expect(found.place == "\"SELECT 1 ")
        found = problem("#sql(text)")
        #expect(found.message.hasPrefix("#sql checks a single string literal"))
        #expect(found.place == "text)")
        #expect(problem("#sql()").message.hasPrefix("#sql checks a single string literal"))
        #expect(problem(#"#sql("-- nothing")"#).message == "there is no statement in this SQL: write one")
        #expect(problem(#"#sql("")"#).message == "there is no statement in this SQL: write one")
        found = problem(#"#sql("SELECT '\0'")"#)
        #expect(found.message == "SQL has no NUL characters: remove this one, or interpolate the text")
        #expect(found.place == "\\0'\")")
        found = problem(#"#sql("DELETE FROM \(Self.self)")"#)
        #expect(found.message == "#sql does not know what 'Self' is here: write the name of the type")
        #expect(found.place == #"Self.self)"#)
    }

    @Test("The nearest schema is used, and a changed one is read again")
    func files() throws {
        let source = #"#sql("SELECT new FROM place")"#
        #expect(problem(source).message == "SQLite: no such column: new")
        try write("CREATE TABLE place (new)")
        #expect(expansion(source) == #"_checkedSQL("SELECT new FROM place")"#)
        try write("CREATE TABLE place (newer)", to: "Sources/schema.sql")
        #expect(problem(source).message.hasPrefix("SQLite: no such column: new"))
        try write("CREATE TABLE place (new);\nCREATE", to: "Sources/schema.sql")
        let path = folder.appendingPathComponent("Sources/schema.sql").path
        #expect(problem(source).message == "\(path):2: incomplete input")
        #expect(problem(source).place == #"#sql("SELE"#)
        try Data([0xFF]).write(to: folder.appendingPathComponent("Sources/schema.sql"))
        #expect(problem(source).message.hasPrefix("'\(path)' can't be read: "))
        try FileManager.default.removeItem(at: folder.appendingPathComponent("Sources/schema.sql"))
        #expect(expansion(source) == #"_checkedSQL("SELECT new FROM place")"#)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("schema.sql"))
        #expect(
            problem(source).message
                == "there is no 'schema.sql' in the folder of this file, nor in one above: write it with "
                + "DatabaseMigrator.writeSchema(to:)")
    }

    private struct HTTPRequest: TableRecord {}
    private struct TOEFL: TableRecord {}
    private struct Place: TableRecord {}
    private struct A1: TableRecord {}
    private struct AB1c: TableRecord {}
    private struct ÉtéChaud: TableRecord {}
    private struct lower: TableRecord {}

    @Test("Record types stand for their tables")
    func tableNames() {
        let types: [any TableRecord.Type] = [
            HTTPRequest.self, TOEFL.self, Place.self, A1.self, AB1c.self, ÉtéChaud.self, lower.self,
        ]
        for type in types { #expect(defaultTableName(String(describing: type)) == type.databaseTableName) }
    }
}
