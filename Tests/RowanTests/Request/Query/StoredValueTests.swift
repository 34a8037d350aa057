// Values in requests are converted to the form in which their column's record stores them.

import Foundation
import Rowan
import Testing

private protocol Strategy: SendableMetatype {
    static var uuids: DatabaseUUIDEncodingStrategy { get }
    static var dates: DatabaseDateEncodingStrategy { get }
    static var datas: DatabaseDataEncodingStrategy { get }
}

private enum Default: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .deferredToUUID }
    static var dates: DatabaseDateEncodingStrategy { .deferredToDate }
    static var datas: DatabaseDataEncodingStrategy { .deferredToData }
}
private enum Lower: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .lowercaseString }
    static var dates: DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
    static var datas: DatabaseDataEncodingStrategy { .text }
}
private enum Upper: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .uppercaseString }
    static var dates: DatabaseDateEncodingStrategy { .timeIntervalSince1970 }
    static var datas: DatabaseDataEncodingStrategy { .custom { $0.base64EncodedString() } }
}
private enum Seconds: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .uppercaseString }
    static var dates: DatabaseDateEncodingStrategy { .secondsSince1970 }
    static var datas: DatabaseDataEncodingStrategy { .text }
}
private enum Milliseconds: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .lowercaseString }
    static var dates: DatabaseDateEncodingStrategy { .millisecondsSince1970 }
    static var datas: DatabaseDataEncodingStrategy { .text }
}
private enum ISO: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .lowercaseString }
    static var dates: DatabaseDateEncodingStrategy { .iso8601 }
    static var datas: DatabaseDataEncodingStrategy { .text }
}
private enum Custom: Strategy {
    static var uuids: DatabaseUUIDEncodingStrategy { .lowercaseString }
    static var dates: DatabaseDateEncodingStrategy { .custom { Int($0.timeIntervalSince1970) / 100 } }
    static var datas: DatabaseDataEncodingStrategy { .text }
}

private let dates = (0..<4).map { Date(timeIntervalSince1970: 1_000_000_000 + Double($0) * 1_000) }
private let uuids = (0..<4).map { UUID(uuidString: "ABCDEF00-0000-0000-0000-00000000000\($0)")! }
private let datas = (0..<4).map { Data("data \($0)".utf8) }

private struct Item<S: Strategy>: Encodable, TableRecord, PersistableRecord {
    static var databaseTableName: String { "item" }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { S.uuids }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { S.dates }
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { S.datas }
    var id: Int
    var uuid: UUID?
    var date: Date?
    var data: Data?
    var parent: UUID?

    struct Columns {
        var id: Column { Column("id") }
        var uuid: Column { Column("uuid") }
        var date: Column { Column("date") }
        var data: Column { Column("data") }
        var parent: Column { Column("parent") }
        var typedUUID: TypedColumn<UUID?> { TypedColumn("uuid") }
        var typedDate: TypedColumn<Date?> { TypedColumn("date") }
    }
    static var databaseComponents: Columns { Columns() }
    static var foreignKey: ForeignKey { ForeignKey(["parent"], to: ["uuid"]) }
    static var parent: BelongsToAssociation<Self, Self> { belongsTo(Self.self, key: "parent", using: foreignKey) }
    static var children: HasManyAssociation<Self, Self> { hasMany(Self.self, key: "children", using: foreignKey) }
}

private struct ItemID: FetchableRecord, TableRecord {
    static let databaseTableName = "item"
    init(row: Row) {}
}

private typealias Condition<S: Strategy> = (Item<S>.Columns) -> SQLExpression

struct StoredValueTests {
    private func run<S: Strategy>(_ strategy: S.Type, _ body: (Database) throws -> Void) throws {
        try inLoggedDatabase("CREATE TABLE item (id INTEGER PRIMARY KEY, uuid UNIQUE, date, data, parent)") { db, _ in
            for id in 0..<4 {
                try Item<S>(
                    id: id, uuid: uuids[id], date: dates[id], data: datas[id], parent: id > 0 ? uuids[id - 1] : nil
                ).insert(db)
            }
            try body(db)
        }
    }

    private func ids<S: Strategy>(
        _ db: Database, _ strategy: S.Type, _ condition: Condition<S>
    ) throws -> [Int] {
        try Item<S>.filter { condition($0) }.order { $0.id }.select({ $0.id }, as: Int.self).fetchAll(db)
    }

    @Test func filters() throws {
        func check<S: Strategy>(_ strategy: S.Type) throws {
            try run(strategy) { db throws in
                func check(_ expected: [Int], _ line: Int = #line, _ condition: Condition<S>) throws {
                    let found = try ids(db, strategy, condition)
                    #expect(found == expected, "\(strategy), line \(line)")
                }
                try check([1]) { $0.uuid == uuids[1] }
                try check([1]) { uuids[1] == $0.uuid }
                try check([0, 2, 3]) { $0.uuid != uuids[1] }
                try check([1]) { $0.uuid === uuids[1] }
                try check([0, 2, 3]) { $0.uuid !== uuids[1] }
                try check([0, 1]) { $0.uuid < uuids[2] }
                try check([1, 2]) { (uuids[1]...uuids[2]).contains($0.uuid) }
                try check([1, 3]) { [uuids[1], uuids[3]].contains($0.uuid) }
                try check([0, 2]) { ![uuids[1], uuids[3]].contains($0.uuid) }
                try check([1, 2]) {
                    [$0.uuid.sqlExpression, $0.parent.sqlExpression].map { $0 as any SQLExpressible }.contains(
                        uuids[1].sqlExpression)
                }
                try check([1]) { $0.date == dates[1] }
                try check([2, 3]) { $0.date > dates[1] }
                try check([2, 3]) { dates[1] < $0.date }
                try check([0, 1]) { $0.date <= dates[1] }
                try check([1, 2]) { (dates[1]...dates[2]).contains($0.date) }
                try check([1]) { (dates[1]..<dates[2]).contains($0.date) }
                try check([0]) { ($0.date ?? dates[3]) == dates[0] }
                try check([3]) { [dates[3]].contains($0.date) }
                try check([2]) { $0.data == datas[2] }
                try check([0, 1, 3]) { $0.data != datas[2] }
                try check([0, 2]) { [datas[0], datas[2]].contains($0.data) }
                try check([1]) { $0.typedUUID == uuids[1] }
                try check([1, 2]) { [uuids[1], uuids[2]].contains($0.typedUUID) }
                try check([0, 1]) { $0.typedDate < dates[2] }
                try check([1, 2]) { (dates[1]...dates[2]).contains($0.typedDate) }
                try check([1]) { rowValue($0.uuid, $0.date) == rowValue(uuids[1], dates[1]) }
                try check([1, 2]) {
                    [rowValue(uuids[1], dates[1]), rowValue(uuids[2], dates[2])].contains(rowValue($0.uuid, $0.date))
                }
                try check([0, 1]) { $0.uuid.collating(.nocase) < uuids[2] }
                try check([0, 1, 2, 3]) { _ in Item<S>.select { $0.uuid }.contains(uuids[3]) }
                try check([]) { _ in Item<S>.filter { $0.id < 3 }.select { $0.uuid }.contains(uuids[3]) }
                try check([3]) { $0.date == Item<S>.select { max($0.date) } }
            }
        }
        try check(Default.self)
        try check(Lower.self)
        try check(Upper.self)
        try check(Seconds.self)
        try check(Milliseconds.self)
        try check(ISO.self)
        try check(Custom.self)
    }

    @Test func associationsAndAliases() throws {
        func check<S: Strategy>(_ strategy: S.Type) throws {
            try run(strategy) { db throws in
                typealias Record = Item<S>
                let parent = TableAlias<Record>()
                let ids: (QueryInterfaceRequest<Record>) throws -> [Int] = {
                    try $0.select { $0.id }.order { $0.id }.asRequest(of: Int.self).fetchAll(db)
                }
                let joined = Record.joining(required: Record.parent.aliased(parent))
                #expect(try ids(joined.filter(parent.uuid == uuids[1])) == [2])
                #expect(try ids(joined.filter(parent.date < dates[1])) == [1])
                #expect(try ids(joined.filter([datas[0], datas[2]].contains(parent.data))) == [1, 3])
                #expect(try ids(joined.filter((dates[1]...dates[2]).contains(parent.date))) == [2, 3])
                let first = Record.parent.filter { $0.uuid == uuids[0] }
                #expect(try ids(Record.joining(required: first)) == [1])
                let late = Record.children.filter { $0.date > dates[1] }
                #expect(try ids(Record.having(late.count == 1)) == [1, 2])
                let maximum = Record.having(Record.children.max { $0.date } > dates[2])
                #expect(try ids(maximum) == [2])
                let all = try Row.fetchAll(db, Record.order { $0.id }.including(all: late))
                #expect(all.map { $0.prefetchedRows["children"]?.count } == [0, 1, 1, 0])
                let conditional = Record.association(to: Record.self, key: "other") { origin, other in
                    other.uuid == uuids[3] && origin.date < dates[2]
                }
                #expect(try ids(Record.joining(required: conditional)) == [0, 1])
                let grouped = Record.select { $0.id }.group { $0.id }.having { max($0.date) >= dates[2] }
                #expect(try Int.fetchAll(db, grouped.order { $0.id }) == [2, 3])
                let outer = TableAlias<Record>()
                let children = Record.filter { $0.parent == outer.uuid && $0.uuid == uuids[2] }
                #expect(try ids(Record.aliased(outer).filter(children.exists())) == [1])
            }
        }
        try check(Default.self)
        try check(Lower.self)
        try check(Upper.self)
        try check(Seconds.self)
        try check(ISO.self)
    }

    @Test func assignmentsAndKeys() throws {
        func check<S: Strategy>(_ strategy: S.Type) throws {
            try run(strategy) { db throws in
                typealias Record = Item<S>
                let new = UUID(uuidString: "FEDCBA00-0000-0000-0000-000000000000")!
                try Record.filter { $0.uuid == uuids[0] }.updateAll(db) {
                    [$0.uuid.set(to: new), $0.date.set(to: dates[3]), $0.data.set(to: datas[3])]
                }
                let stored = try Row.fetchOne(db, sql: "SELECT uuid, date, data FROM item WHERE id = 0")
                let expected = try Row.fetchOne(
                    db, sql: "SELECT ?, date, data FROM item WHERE id = 3",
                    arguments: [Record.storedKey(new, forColumn: "uuid")])
                #expect(stored.map { Array($0.databaseValues) } == expected.map { Array($0.databaseValues) })
                #expect(
                    try Record.filter { $0.typedUUID == uuids[1] }.updateAll(db) { $0.typedDate.set(to: dates[0]) } == 1
                )
                #expect(try ids(db, strategy) { $0.date == dates[0] } == [1])
                _ = try Record(id: 9, uuid: uuids[1], date: nil, data: nil, parent: nil).upsertAndFetch(
                    db, as: ItemID.self, onConflict: ["uuid"], updating: .noColumnUnlessSpecified,
                    doUpdate: { _ in [Column("date").set(to: dates[2])] })
                #expect(try ids(db, strategy) { $0.date == dates[2] } == [1, 2])
                #expect(try Record.filter(keys: [["uuid": uuids[2]], ["uuid": uuids[3]]]).fetchCount(db) == 2)
                #expect(try Record.filter { $0.uuid == new && $0.data == datas[3] }.deleteAll(db) == 1)
                #expect(try Record.exists(db, key: ["uuid": uuids[3]]))
            }
        }
        try check(Default.self)
        try check(Lower.self)
        try check(Upper.self)
        try check(Milliseconds.self)
    }

    /// A table without a record type uses the default form of values.
    @Test func tablesWithoutStrategies() throws {
        struct Plain: TableRecord {
            static let databaseTableName = "item"
        }
        try run(Default.self) { db throws in
            #expect(try Plain.filter(Column("uuid") == uuids[1]).fetchCount(db) == 1)
            #expect(try Table("item").all().filter(Column("date") > dates[1]).fetchCount(db) == 2)
        }
    }
}

/// A record that encodes itself: strategies only apply to records encoded by `Codable`.
private struct Handmade: TableRecord, PersistableRecord {
    static let databaseTableName = "item"
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSince1970
    }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }
    var uuid: UUID
    var date: Date

    func encode(to container: inout PersistenceContainer) {
        container["uuid"] = uuid
        container["date"] = date
    }
}

struct HandmadeStoredValueTests {
    @Test func strategiesAreThoseOfCodableRecords() throws {
        try inLoggedDatabase("CREATE TABLE item (uuid PRIMARY KEY, date)") { db, _ throws in
            let item = Handmade(uuid: uuids[0], date: dates[0])
            try item.insert(db)
            #expect(try Handmade.filter(Column("date") == dates[0]).fetchCount(db) == 1)
            #expect(try Handmade.filter([uuids[0]].contains(Column("uuid"))).fetchCount(db) == 1)
            #expect(try Handmade.exists(db, key: uuids[0]))
            #expect(try Handmade.filter(keys: [uuids[0], uuids[1]]).fetchCount(db) == 1)
            #expect(try Handmade.deleteOne(db, key: uuids[0]))
        }
    }
}
