// Aggregates of several associations at once, compared with plain Swift: they don't affect each other.

import Foundation
import Rowan
import Testing

private struct Parent: TableRecord {
    static let databaseTableName = "parent"
    enum Columns {
        static let id = Column("id")
    }
    static let lefts = hasMany(Left.self)
    static let rights = hasMany(Right.self)
    static let tags = hasMany(Tag.self, through: lefts, using: Left.tags)
    static let labels = hasMany(Label.self, through: tags, using: Tag.label, key: "labels")
}
private struct Left: TableRecord {
    static let databaseTableName = "left"
    enum Columns {
        static let n = Column("n")
        static let x = Column("x")
    }
    static let tags = hasMany(Tag.self)
}
private struct Right: TableRecord {
    static let databaseTableName = "right"
    enum Columns {
        static let n = Column("n")
        static let x = Column("x")
    }
}
private struct Tag: TableRecord {
    static let databaseTableName = "tag"
    enum Columns {
        static let n = Column("n")
        static let x = Column("x")
    }
    static let label = belongsTo(Label.self)
}
private struct Label: TableRecord {
    static let databaseTableName = "label"
    enum Columns {
        static let n = Column("n")
        static let x = Column("x")
    }
}

/// A row: its key, another row's key, an integer and a double.
private struct Line {
    var id: Int
    var owner: Int?
    var label: Int?
    var n: Int64?
    var x: Double?
}

private struct Content {
    var parentCount: Int
    var lefts: [Line]
    var rights: [Line]
    var tags: [Line]
    var labels: [Line]

    init(_ random: inout SeededGenerator) {
        func lines(_ count: Int, _ owners: Int, _ random: inout SeededGenerator) -> [Line] {
            (0..<count).map { id in
                Line(
                    id: id,
                    owner: Int.random(in: 0..<6, using: &random) == 0 || owners == 0
                        ? nil : Int.random(in: 0..<owners, using: &random),
                    label: Int.random(in: 0..<5, using: &random) == 0 ? nil : Int.random(in: 0..<4, using: &random),
                    n: integer(&random), x: double(&random))
            }
        }
        parentCount = Int.random(in: 0...5, using: &random)
        lefts = lines(Int.random(in: 0...12, using: &random), parentCount, &random)
        rights = lines(Int.random(in: 0...12, using: &random), parentCount, &random)
        tags = lines(Int.random(in: 0...20, using: &random), lefts.count, &random)
        labels = lines(4, 0, &random)
    }

    func lefts(_ parent: Int) -> [Line] { lefts.filter { $0.owner == parent } }
    func rights(_ parent: Int) -> [Line] { rights.filter { $0.owner == parent } }
    func tags(_ parent: Int) -> [Line] { lefts(parent).flatMap { left in tags.filter { $0.owner == left.id } } }
    /// Each label once, even if several tags have it.
    func labels(_ parent: Int) -> [Line] { Set(tags(parent).compactMap(\.label)).sorted().map { labels[$0] } }

    func insert(_ db: Database) throws {
        for id in 0..<parentCount { try db.execute(sql: "INSERT INTO parent VALUES (?)", arguments: [id]) }
        for (table, lines) in [("left", lefts), ("right", rights), ("tag", tags), ("label", labels)] {
            for line in lines {
                try db.execute(
                    sql: "INSERT INTO \"\(table)\" VALUES (?, ?, ?, ?, ?)",
                    arguments: [line.id, line.owner, line.label, line.n, line.x])
            }
        }
    }
}

/// Small integers, and integers that a double can't distinguish from adjacent ones. Their sums fit in 64 bits.
private func integer(_ random: inout SeededGenerator) -> Int64? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: nil
    case 1: (1 << 53) + Int64.random(in: -2...2, using: &random)
    case 2: -(1 << 53) + Int64.random(in: -2...2, using: &random)
    default: Int64.random(in: -10...10, using: &random)
    }
}

/// Doubles whose sums are exact in any order.
private func double(_ random: inout SeededGenerator) -> Double? {
    Int.random(in: 0..<4, using: &random) == 0
        ? nil : Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1024
}

struct AggregatePropertyTests {
    private func inDatabase(isIndexed: Bool, _ content: Content, _ body: (Database) throws -> Void) throws {
        let columns = "labelId INTEGER REFERENCES label(id), n INTEGER, x DOUBLE"
        let schema = """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE label (id INTEGER PRIMARY KEY, unused, labelId, n INTEGER, x DOUBLE);
            CREATE TABLE "left" (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent(id), \(columns));
            CREATE TABLE "right" (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent(id), \(columns));
            CREATE TABLE tag (id INTEGER PRIMARY KEY, leftId INTEGER REFERENCES "left"(id), \(columns));
            """
        let indexes = """
            CREATE INDEX l ON "left"(parentId); CREATE INDEX r ON "right"(parentId); CREATE INDEX t ON tag(leftId);
            """
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: schema + (isIndexed ? indexes : ""))
            try content.insert(db)
            try body(db)
        }
    }

    @Test(arguments: [true, false]) func severalAssociations(isIndexed: Bool) throws {
        var random = SeededGenerator(1)
        for round in 0..<60 {
            let content = Content(&random)
            let limit = Int64.random(in: -5...5, using: &random)
            try inDatabase(isIndexed: isIndexed, content) { db throws in
                let request = Parent.order(\.id).annotated(with: all(Parent.lefts, "l"))
                    .annotated(with: all(Parent.rights.filter { $0.n > limit }, "r"))
                    .annotated(with: all(Parent.tags, "t"))
                    .annotated(with: all(Parent.labels.filter { $0.x != nil }, "b"))
                let rows = try Row.fetchAll(db, request)
                #expect(rows.count == content.parentCount)
                for (parent, row) in rows.enumerated() {
                    var expected = ["id=\(parent)"]
                    expected += values("l", content.lefts(parent))
                    expected += values("r", content.rights(parent).filter { $0.n.map { $0 > limit } ?? false })
                    expected += values("t", content.tags(parent))
                    expected += values("b", content.labels(parent).filter { $0.x != nil })
                    let found = row.map { "\($0)=\(Differential.Value($1).text)" }
                    #expect(found == expected, "seed \(random.seed), round \(round), limit \(limit)")
                }
                let many = Parent.having(Parent.lefts.count > Parent.rights.count && !Parent.tags.isEmpty)
                let expectedCount = (0..<content.parentCount).filter {
                    content.lefts($0).count > content.rights($0).count && !content.tags($0).isEmpty
                }.count
                #expect(try many.fetchCount(db) == expectedCount, "seed \(random.seed), round \(round)")
            }
        }
    }

    private func all<A: AssociationToMany>(
        _ association: A, _ prefix: String
    ) -> [AssociationAggregate<Parent>] where A.OriginRowDecoder == Parent {
        let (n, x) = (Column("n"), Column("x"))
        return [
            association.count.forKey(prefix + "Count"), association.isEmpty.forKey(prefix + "Empty"),
            association.sum(n).forKey(prefix + "SumN"), association.min(n).forKey(prefix + "MinN"),
            association.max(n).forKey(prefix + "MaxN"), association.sum(x).forKey(prefix + "SumX"),
            association.min(x).forKey(prefix + "MinX"), association.max(x).forKey(prefix + "MaxX"),
            association.average(x).forKey(prefix + "AverageX"), association.total(x).forKey(prefix + "TotalX"),
        ]
    }

    private func values(_ prefix: String, _ lines: [Line]) -> [String] {
        let (ns, xs) = (lines.compactMap(\.n), lines.compactMap(\.x))
        func text(_ int: Int64?) -> String { int.map { String($0) } ?? "NULL" }
        func text(_ double: Double?) -> String { double.map { Differential.Value.real($0).text } ?? "NULL" }
        let total = xs.reduce(0, +)
        return [
            "\(prefix)Count=\(lines.count)", "\(prefix)Empty=\(lines.isEmpty ? 1 : 0)",
            "\(prefix)SumN=\(text(ns.isEmpty ? nil : ns.reduce(0, +)))", "\(prefix)MinN=\(text(ns.min()))",
            "\(prefix)MaxN=\(text(ns.max()))", "\(prefix)SumX=\(text(xs.isEmpty ? nil : total))",
            "\(prefix)MinX=\(text(xs.min()))", "\(prefix)MaxX=\(text(xs.max()))",
            "\(prefix)AverageX=\(text(xs.isEmpty ? nil : total / Double(xs.count)))", "\(prefix)TotalX=\(text(total))",
        ]
    }
}
