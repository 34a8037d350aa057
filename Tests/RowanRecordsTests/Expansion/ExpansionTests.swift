// The macros' expansions, as text.

import Testing

@Suite("The expansion of @Record")
struct ExpansionTests {
    private let mutable =
        "Rowan.FetchableRecord, Rowan.TableRecord, Rowan.EncodableRecord, Rowan.MutablePersistableRecord, "
        + "Rowan.PositionalRecord"
    private let immutable =
        "Rowan.FetchableRecord, Rowan.TableRecord, Rowan.EncodableRecord, Rowan.MutablePersistableRecord, "
        + "Rowan.PersistableRecord, Rowan.PositionalRecord"

    @Test("Each property has a column, a read and a write")
    func wholeExpansion() {
        #expect(
            expansion(
                """
                @Record("place") public struct Place {
                    var id: Int64?          // the key
                    public var title: String
                    var latitude = 0.0, longitude = 0.0
                    @Column("remark") var note: String?
                    @Column(as: .unixTime) var created: Date
                    @Column(generated: true) var label: String
                    @Ignored var isSelected = false
                }
                """) == [
                    "nonisolated extension Place: \(mutable) {",
                    "public static var databaseTableName: String { \"place\" }",
                    "public enum Columns {",
                    "static let id = Rowan._column(\"id\", of: \\Place.id)",
                    "public static let title = Rowan._column(\"title\", of: \\Place.title)",
                    "static let latitude = Rowan._column(\"latitude\", of: \\Place.latitude)",
                    "static let longitude = Rowan._column(\"longitude\", of: \\Place.longitude)",
                    "static let note = Rowan._column(\"remark\", of: \\Place.note)",
                    "static let created = Rowan._column(\"created\", of: \\Place.created, as: .unixTime)",
                    "static let label = Rowan._column(\"label\", of: \\Place.label)",
                    "}",
                    "public static let _recordLayout = Rowan.RecordLayout(Self.self, "
                        + "[\"id\", \"title\", \"latitude\", \"longitude\", \"remark\", \"created\", \"label\"], "
                        + "storages: [Rowan._storage(\"created\", .unixTime)], generated: [6], keys: [0], rowID: 0)",
                    "public static var _properties: [AnyKeyPath] { [\\Self.id, \\Self.title, \\Self.latitude, "
                        + "\\Self.longitude, \\Self.note, \\Self.created, \\Self.label] }",
                    "public init(row: Rowan.Row) throws "
                        + "{ defer { withExtendedLifetime(row) {} }; try self.init(_columns: Rowan.RecordColumns(row, "
                        + "Self._recordLayout)) }",
                    "public init(_columns columns: Rowan.RecordColumns) throws {",
                    "self.id = try columns(0)",
                    "self.title = try columns(1)",
                    "self.latitude = try columns(2)",
                    "self.longitude = try columns(3)",
                    "self.note = try columns(4)",
                    "self.created = try columns(5, as: .unixTime)",
                    "self.label = try columns(6)",
                    "}",
                    "public static func _element(of columns: Rowan.RecordColumns) throws -> Self "
                        + "{ try Self(_columns: columns) }",
                    "public func encode(to container: inout Rowan.PersistenceContainer) throws { try container._set(self) }",
                    "public func _bind(to binder: inout Rowan.RecordBinder) throws {",
                    "try binder(0, self.id)",
                    "try binder(1, self.title)",
                    "try binder(2, self.latitude)",
                    "try binder(3, self.longitude)",
                    "try binder(4, self.note)",
                    "try binder(5, self.created, as: .unixTime)",
                    "}",
                    "public mutating func _didInsert(rowID: Int64) { Rowan._keep(rowID, in: &self.id) }",
                    "}",
                ])
    }

    @Test("A key of a public type makes it Identifiable only if the key is public")
    func identifiable() {
        func first(_ source: String) -> String? { expansion(source).first }
        #expect(
            first("struct Place { var id: Int }")
                == "nonisolated extension Place: \(immutable), Identifiable {")
        #expect(
            first("struct Place { let id: UUID }")
                == "nonisolated extension Place: \(immutable), Identifiable {")
        #expect(
            first("public struct Place { public var id: Int? }")
                == "nonisolated extension Place: \(mutable), Identifiable {")
        #expect(first("public struct Place { var id: Int }") == "nonisolated extension Place: \(immutable) {")
        for access in ["", "private ", "fileprivate "] {
            let line = first("\(access)struct Place { private var id = 1 }")
            #expect(line == "nonisolated extension Place: \(immutable) {")
        }
        for source in ["private struct Place { var id: Int }", "private struct Place { fileprivate var id: Int }"] {
            #expect(first(source) == "nonisolated extension Place: \(immutable), Identifiable {")
        }
        let nested = expansion(
            "struct Place { private var id = 1 }", type: "Outer.Place", context: ["private enum Outer {}"])
        #expect(nested.first == "nonisolated extension Outer.Place: \(immutable) {")
        #expect(first("struct Place { var code: Int }") == "nonisolated extension Place: \(immutable) {")
        #expect(
            first("struct Place { @PrimaryKey var a: Int, b: Int; var id: Int? }")
                == "nonisolated extension Place: \(immutable) {")
    }

    @Test("Protocols follow from those the type names, and existing conformances are not repeated")
    func ownConformances() {
        #expect(
            expansion("struct Place: PersistableRecord { var id: Int? }").first
                == "nonisolated extension Place: \(immutable), Identifiable {")
        #expect(
            expansion("struct Place { var id: Int? }", missing: "PositionalRecord, PersistableRecord").first
                == "nonisolated extension Place: Rowan.PositionalRecord {")
    }

    @Test("Private properties, nested types and backticks keep their names")
    func names() {
        let lines = expansion(
            "struct Place { private var `class`: Int; fileprivate(set) var größe: Int; package let b: Int }",
            type: "Outer.Place")
        #expect(lines.contains("fileprivate static let `class` = Rowan._column(\"class\", of: \\Outer.Place.`class`)"))
        #expect(lines.contains("static let größe = Rowan._column(\"größe\", of: \\Outer.Place.größe)"))
        #expect(lines.contains("static let b = Rowan._column(\"b\", of: \\Outer.Place.b)"))
        #expect(lines.contains("self.`class` = try columns(0)"))
        #expect(lines.contains("try binder(0, self.`class`)"))
    }

    @Test("A generic type has columns in an instance, and a shared layout")
    func generic() {
        let lines = expansion("struct Place<T> { var id: Int; var value: T }")
        #expect(lines.contains("struct Columns: Sendable {"))
        #expect(lines.contains("let value = Rowan._column(\"value\", of: \\Place.value)"))
        #expect(lines.contains("static var databaseComponents: Columns { Columns() }"))
        #expect(
            lines.contains(
                "static var _recordLayout: Rowan.RecordLayout "
                    + "{ .shared(by: Self.self) { Rowan.RecordLayout(Self.self, [\"id\", \"value\"], keys: [0]) } }"))
        let nested = expansion("struct Place { var id: Int }", type: "Outer.Place", context: ["struct Outer<T> {}"])
        #expect(nested.contains("struct Columns: Sendable {"))
        #expect(expansion("struct Place { var id: Int }", context: ["enum Outer {}"]).contains("enum Columns {"))
    }

    @Test("Members in the body are not generated")
    func ownMembers() {
        let lines = expansion(
            """
            struct Place {
                static let databaseTableName = "places"
                static let databaseSelection: [any Rowan.SQLSelectable] = [AllColumns()]
                enum Columns { static let id = Column("id") }
                var id: Int
                init(row: Row) { id = 1 }
                func encode(to container: inout PersistenceContainer) { container["id"] = id }
            }
            """)
        #expect(
            lines == [
                "nonisolated extension Place: \(immutable), Identifiable {",
                "static let _recordLayout = Rowan.RecordLayout(Self.self, [\"id\"], keys: [0], readsRows: false, writesColumns: false)",
                "static var _properties: [AnyKeyPath] { [\\Self.id] }",
                "}",
            ])
        // The Codable method has the same label.
        let codable = expansion("struct Place { var id: Int; func encode(to encoder: Encoder) throws {} }")
        #expect(codable.contains { $0.contains("func encode(to container: inout Rowan.PersistenceContainer)") })
    }

    @Test("Static, computed and observed properties, and several names with the same type")
    func properties() {
        let lines = expansion(
            """
            struct Place {
                static var count = 0
                var a, b: Int
                var double: Int { a * 2 }
                var both: Int { get { a } set { a = newValue } }
                var c = 0 { didSet { a = 1 } }
            }
            """)
        #expect(
            lines.filter { $0.hasPrefix("self.") } == [
                "self.a = try columns(0)", "self.b = try columns(1)", "self.c = try columns(2)",
            ])
    }

    @Test("A selection has members but no table")
    func selection() {
        #expect(
            expansion(
                "@Selection public struct Info { public var book: Book; @Column(\"n\", as: .unixTime) var at: Date? }",
                of: "SelectionMacro", type: "Info") == [
                    "nonisolated extension Info: Rowan.FetchableRecord {",
                    "private static let _members = Rowan.RecordLayout(Self.self, [\"book\", \"n\"])",
                    "public init(row: Rowan.Row) throws {",
                    "let members = Rowan.RecordMembers(row, Self._members)",
                    "self.book = try members(0)",
                    "self.at = try members(1, as: .unixTime)",
                    "}",
                    "}",
                ])
        #expect(
            expansion("struct Info<T> { var value: T }", of: "SelectionMacro", type: "Info").contains(
                "private static var _members: Rowan.RecordLayout "
                    + "{ .shared(by: Self.self) { Rowan.RecordLayout(Self.self, [\"value\"]) } }"))
    }

    @Test("A reference is an association in the struct itself")
    func reference() {
        #expect(
            expansion("@References(Town.self, onDelete: .cascade) public var townID: Int64", of: "ReferencesMacro") == [
                "public nonisolated static var `town`: Rowan.BelongsToAssociation<Self, Town> {",
                "    belongsTo(Town.self, key: \"town\", using: Rowan.ForeignKey([\"townID\"]))",
                "}",
            ])
        #expect(
            expansion("@References(Town.self) @Column(\"town_no\") var town_id: Int64?", of: "ReferencesMacro")[1]
                == "    belongsTo(Town.self, key: \"town\", using: Rowan.ForeignKey([\"town_no\"]))")
    }

    @Test("Code that the compiler may reject is at the location of its property")
    func places() {
        let lines = expansion(
            """
            @Record struct Place { var id: Int64?, kind: Kind
                var name = "a", size = Size.small
                @Column(as: .unixTime)
                  var created: Date?
            }
            """, line: 70)
        let start = lines.firstIndex { $0.contains("init(_columns columns:") } ?? 0
        #expect(
            lines[start...].prefix(16).dropFirst() == [
                "self.id = try columns(0)",
                #"#sourceLocation(file: "/Place.swift", line: 69)"#,
                "self.kind = try columns",
                // The column of `kind`: the struct itself starts in column 5.
                String(repeating: " ", count: 42) + ".callAsFunction(1)",
                "#sourceLocation()",
                "self.name = try columns(2)",
                #"#sourceLocation(file: "/Place.swift", line: 70)"#,
                "self.size = try columns",
                String(repeating: " ", count: 19) + ".callAsFunction(3)",
                "#sourceLocation()",
                #"#sourceLocation(file: "/Place.swift", line: 72)"#,
                "self.created = try columns",
                String(repeating: " ", count: 9) + ".callAsFunction(4, as: .unixTime)",
                "#sourceLocation()",
                "}",
            ])
    }

    @Test("The memberwise initializer has a parameter for each settable property")
    func memberwise() {
        let body = """
            {
                var id: Int64?
                public let title: String
                var latitude = 0.0, count = -1, isOpen = true, note = "a"
                var first: Int, second: [ String : any P ]
                @Column("other") var `class`: Int = f(a as B)
                @Ignored var action: @Sendable () -> Void
                @Ignored let kind = 1
                private var hidden = 1
                private var set: Int
                static var limit = 1
                var double: Int { 2 }
            }
            """
        let parameters =
            "id: Int64? = nil, title: String, latitude: Double = 0.0, count: Int = -1, isOpen: Bool = true, "
            + "note: String = \"a\", first: Int, second: [ String : any P ], `class`: Int = f(a as B), "
            + "action: @escaping @Sendable () -> Void, set: Int"
        let assignments = [
            "id", "title", "latitude", "count", "isOpen", "note", "first", "second", "`class`", "action", "set",
        ].map { "self.\($0) = \($0)" }
        // The action needs a value for reading, but the compiler expands members first.
        let source = body.replacing("() -> Void", with: "() -> Void = {}")
        let withValue = parameters.replacing("() -> Void", with: "() -> Void = {}")
        #expect(
            expansion("@Record(\"place\", memberwise: true) public struct Place \(source)", type: nil)
                == ["public init(\(withValue)) {"] + assignments + ["}"])
        #expect(
            expansion("@Record(memberwise: true) struct Place \(source)", type: nil).first == "init(\(withValue)) {")
        #expect(
            expansion("@Record(memberwise: true) package struct Place \(source)", type: nil).first
                == "package init(\(withValue)) {")
        #expect(expansion("@Record(memberwise: false) public struct Place \(source)", type: nil) == [])
        #expect(expansion("@Record(\"place\") public struct Place \(source)", type: nil) == [])
        // The expansion of the extension reports the errors of properties.
        #expect(expansion("@Record(memberwise: true) public struct Place \(body)", type: nil) == [])
    }

    @Test("A memberwise initializer doesn't change the extension")
    func memberwiseExtension() {
        let body = "public struct Place { var id: Int }"
        #expect(
            expansion("@Record(\"place\", memberwise: true) \(body)") == expansion("@Record(\"place\") \(body)"))
    }
}
