// The errors of the macros: their message, location and fix-it.

import RowanPluginMessages
import RowanRecordExpansion
import Testing

@Suite("The errors of @Record")
struct ProblemTests {
    /// The only error of a declaration: its message, the source from its location on, and the source with the fix-it
    /// applied.
    private func problem(
        _ source: String, of macro: String = "RecordMacro", type: String? = "Place", context: [String] = []
    ) -> (message: String, place: String, changed: String?) {
        guard case .expansion(nil, let problems) = answer(to: macro, source, type: type, context: context),
            problems.count == 1
        else { return ("", "", nil) }
        let bytes = Array(source.utf8)
        let changed = problems[0].fixIts.first?.changes.first.map { change in
            String(decoding: bytes[..<(change.range.startOffset - 1_000)], as: UTF8.self) + change.newText
                + String(decoding: bytes[(change.range.endOffset - 1_000)...], as: UTF8.self)
        }
        let offset = problems[0].position.offset - 1_000
        return (problems[0].message, String(decoding: bytes[offset...].prefix(12), as: UTF8.self), changed)
    }

    @Test("Only structs", arguments: ["class", "enum", "actor"])
    func noStruct(_ keyword: String) {
        let found = problem("@Record final \(keyword) Place { var id = 1 }")
        #expect(
            found.message
                == "@Record needs a struct: \(keyword == "class" ? "a class" : "an \(keyword)") 'Place' can't have it: "
                + "declare a struct, or write the conformances by hand")
        #expect(found.place == "Place { var ")
    }

    @Test("An enum with cases")
    func enumeration() {
        let found = problem("@Selection enum Kind: String {\n    case a, b\n}", of: "SelectionMacro")
        #expect(found.message.hasPrefix("@Selection needs a struct: an enum 'Kind' can't have it:"))
        #expect(found.place == "Kind: String")
    }

    @Test("No stored property")
    func noProperty() {
        let found = problem("struct Place { static let a = 1; var b: Int { 1 } }")
        #expect(
            found.message
                == "'Place' has no stored property, so there is nothing to store or to read: declare a property for "
                + "each column")
        #expect(found.place == "Place { stat")
    }

    @Test("A constant with a value")
    func constant() {
        let found = problem("struct Place {\n    let kind = 1\n    var id: Int\n}")
        #expect(
            found.message
                == "'kind' is a constant with a value, which no row can change: declare it with 'var', make it "
                + "static, or add @Ignored")
        #expect(found.place == "kind = 1\n   ")
        #expect(found.changed == "struct Place {\n    var kind = 1\n    var id: Int\n}")
    }

    @Test("An optional key that is a constant", arguments: ["id", "key"])
    func constantKey(_ name: String) {
        let attribute = name == "id" ? "" : "@PrimaryKey "
        let found = problem("struct Place {\n    \(attribute)let \(name): Int64?\n    var b: Int\n}")
        #expect(
            found.message
                == "the optional key '\(name)' is a constant, so an insertion can't set it: declare it with 'var', or with "
                + "a type that isn't optional")
        #expect(found.place.hasPrefix("\(name): Int64?"))
        #expect(found.changed == "struct Place {\n    \(attribute)var \(name): Int64?\n    var b: Int\n}")
        // An insertion sets only integer keys.
        #expect(expansion("struct Place { let id: UUID }").contains("self.id = try columns(0)"))
        let two = "struct Place { @PrimaryKey let a: Int?; @PrimaryKey let b: Int? }"
        #expect(expansion(two).contains("self.a = try columns(0)"))
        #expect(expansion("struct Place { let id: Int? }", of: "SelectionMacro").contains("self.id = try members(0)"))
    }

    @Test("Names that hide names used by the generated code", arguments: ["self", "Self", "Rowan"])
    func hiddenNames(_ name: String) {
        let found = problem("struct Place {\n    var id: Int\n    var `\(name)`: Int\n}")
        #expect(
            found.message
                == "a property named '\(name)' hides what the generated code refers to: rename it, and keep the column with "
                + "@Column(\"\(name)\")")
        #expect(found.place.hasPrefix("`\(name)`: "))
    }

    @Test("A memberwise initializer that needs a type")
    func memberwiseType() {
        for value in ["Date()", "1 + 2", "1...2", "f", "[1]", "\"a\" + \"b\"", ".a", "nil as Int?"] {
            let found = problem("@Record(memberwise: true) struct Place {\n    var id = \(value)\n}", type: nil)
            #expect(
                found.message == "the memberwise initializer needs the type of 'id': declare it after a colon",
                "\(value)")
            #expect(found.place.hasPrefix("id = "))
        }
        let found = problem("@Record(memberwise: isPublic) struct Place { var id: Int }", type: nil)
        #expect(found.message == "the macro reads source, not values: write 'true' or 'false'")
        #expect(found.place == "isPublic) st")
    }

    @Test("A property in #if")
    func conditional() {
        let found = problem("struct Place {\n    var id: Int\n#if DEBUG\n    var b: Int\n#endif\n}")
        #expect(
            found.message
                == "'b' is inside '#if', so the macro can't know whether it exists: move it out, "
                + "or put the conditions around the whole struct")
        #expect(found.place == "b: Int\n#endi")
        // Other members may be inside `#if`.
        #expect(
            expansion("struct Place {\n    var id: Int\n#if DEBUG\n    var b: Int { 1 }\n#endif\n}").contains(
                "self.id = try columns(0)"))
    }

    @Test("Two columns that differ only in case")
    func sameColumn() {
        let found = problem("struct Place { var title: String; @Column(\"TITLE\") var other: String }")
        #expect(
            found.message
                == "'title' and 'other' are stored in the same column, because SQLite does not distinguish \"title\" from "
                + "\"TITLE\": rename one, or give it a @Column(\"name\")")
        #expect(found.place == "other: Strin")
    }

    @Test(
        "Names that aren't literals", arguments: [#""a\(b)""#, #""\\\(b)""#, ##"#"a\#(b)"#"##, "name", "\"a\" + \"b\""])
    func noLiteral(_ name: String) {
        let column = problem("struct Place { @Column(\(name)) var a: Int }")
        #expect(column.message == "the name of the column must be a string literal without interpolation")
        #expect(column.place.hasPrefix(String(name.prefix(4))))
        let table = problem("@Record(\(name)) struct Place { var a: Int }")
        #expect(table.message == "the name of the table must be a string literal without interpolation")
    }

    @Test("A backslash before a parenthesis", arguments: [#""\\(b)""#, ##"#"\(b)"#"##, #""a\\""#])
    func backslash(_ name: String) {
        guard
            case .expansion(_?, let problems) = answer(
                to: "RecordMacro", "struct Place { @Column(\(name)) var a: Int }")
        else {
            return #expect(Bool(false), "no expansion")
        }
        #expect(problems.isEmpty)
    }

    @Test("A lazy property and a wrapped one")
    func lazyAndWrapped() {
        let lazy = problem("struct Place { var id: Int; lazy var a = 1 }")
        #expect(
            lazy.message
                == "'a' is lazy, but a column needs a value when the record is stored: remove 'lazy', or add "
                + "@Ignored")
        #expect(lazy.changed == "struct Place { var id: Int; @Ignored lazy var a = 1 }")
        let wrapped = problem("struct Place { var id: Int; @Clamped(0...1) var a: Int }")
        #expect(
            wrapped.message
                == "the property wrapper @Clamped hides what 'a' stores: remove it, or add @Ignored")
        #expect(wrapped.place == "@Clamped(0..")
        #expect(wrapped.changed == "struct Place { var id: Int; @Ignored @Clamped(0...1) var a: Int }")
    }

    @Test("Tuples and functions")
    func tuples() {
        #expect(
            problem("struct Place { var (a, b) = (1, 2) }").message
                == "a tuple of properties can't be matched with columns: declare one property for each column")
        let tuple = problem("struct Place { var a: (Int, Int) }")
        #expect(tuple.message == "a tuple can't be stored in a column: add @Ignored")
        #expect(tuple.changed == "struct Place { @Ignored var a: (Int, Int) }")
        #expect(
            problem("struct Place { var a: @Sendable () -> Void }").message
                == "a function can't be stored in a column: add @Ignored")
    }

    @Test("A generated key")
    func generatedKey() {
        let found = problem("struct Place { @Column(generated: true) var id: Int }")
        #expect(
            found.message == "'id' is a key, and SQLite does not compute keys: remove 'generated: true'")
        #expect(found.place == "@Column(gene")
        #expect(found.changed == "struct Place {  var id: Int }")
    }

    @Test("An ignored property without a value")
    func ignored() {
        let found = problem("struct Place { var id: Int; @Ignored var a: Int }")
        #expect(
            found.message
                == "'a' is ignored, so a record that is read from a row needs another value for it: add an initial value"
        )
        #expect(expansion("struct Place { var id: Int; @Ignored var a: Int? }").count > 1)
    }

    @Test("Attributes of columns on computed properties")
    func computed() {
        let found = problem("struct Place { var id: Int; @Column(\"a\") var a: Int { 1 } }")
        #expect(found.message == "@Column has no meaning for 'a', which is computed: remove the attribute")
        #expect(found.changed == "struct Place { var id: Int;  var a: Int { 1 } }")
    }

    @Test("A reference without a name")
    func reference() {
        let found = problem("@References(Town.self) var town: Int64", of: "ReferencesMacro")
        #expect(
            found.message
                == "no name of an association follows from 'town': call it 'townID', or declare the association with "
                + "belongsTo(Town.self)")
        #expect(found.place == "town: Int64")
    }

    @Test("Source that the parser doesn't understand is an error")
    func notUnderstood() {
        let found = problem("struct Place { var id: Int; ??? }")
        #expect(
            found.message
                == "the macro does not understand this declaration (expected a member instead of '???'): simplify it, or "
                + "write the conformances by hand, and report the declaration to Rowan")
        #expect(found.place == "??? }")
    }

    @Test("Several errors")
    func several() {
        guard
            case .expansion(nil, let problems) = answer(
                "struct Place { let a = 1; var b: (Int, Int); lazy var c = 1 }")
        else {
            Issue.record("no error")
            return
        }
        #expect(problems.map(\.position.offset) == [1_019, 1_030, 1_054])
        #expect(problems.allSatisfy { $0.position.fileName == "/Place.swift" })
    }

    @Test("A macro that this plugin doesn't have")
    func unknownMacro() {
        #expect(
            expansion("struct Place { var id: Int }", of: "FutureMacro") == [
                "unknown macro 'FutureMacro': build the package and its plugin again"
            ])
    }
}
