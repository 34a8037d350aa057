import Foundation
import Rowan
import Testing

struct LargeListTests {
    private let schema = "CREATE TABLE t (a, n INTEGER)"

    @Test func aLongListIsOneArgument() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Table("t").all().filter(Array(1...1000).contains(Column("n")))
            let (sql, arguments) = try statementText(db, request)
            #expect(sql == #"SELECT * FROM "t" WHERE "n" IN (SELECT +value FROM json_each(?))"#)
            #expect(arguments == ["[\((1...1000).map(String.init).joined(separator: ","))]"])
            // All lists of 513 to 999 values have the same text: the last value is repeated.
            let short = try statementText(db, Table("t").all().filter(Array(1...999).contains(Column("n"))))
            #expect(short.arguments == StatementArguments(Array(1...999) + Array(repeating: 999, count: 25)))
        }
    }

    @Test func findsTheSameValues() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let texts = ["", "a", "é", "🌳", "\"", "\\", "'", "a\u{1}\u{1F}\n\tb", "1", "[", "null"]
            let numbers: [Int64] = [.min, -1, 0, 1, .max]
            var values: [DatabaseValue] = texts.map { $0.databaseValue }
            values += numbers.map { $0.databaseValue }
            values += [(0.5).databaseValue, .null]
            for value in values { try db.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [value]) }
            let padding = (0..<1000).map { "padding \($0)" }
            for text in texts {
                let found = try Table("t").all().filter((padding + [text]).contains(Column("a"))).fetchAll(db)
                #expect(found.map { $0["a"] as DatabaseValue } == [text.databaseValue])
            }
            for number in numbers {
                let candidates = Array(1000...2000) + [number]
                let found = try Table("t").all().filter(candidates.contains(Column("a"))).fetchAll(db)
                #expect(found.map { $0["a"] as DatabaseValue } == [number.databaseValue])
            }
        }
    }

    @Test func theAffinityOfTheColumnApplies() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO t (n) VALUES (7)")
            let texts = (0..<2000).map(String.init)
            #expect(try Table("t").all().filter(texts.contains(Column("n"))).fetchCount(db) == 1)
        }
    }

    @Test func expressionsThatAreNoValuesStayAList() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let list: [any SQLExpressible] = Array(repeating: Column("n"), count: 1000)
            let (sql, _) = try statementText(db, Table("t").all().filter(list.contains(Column("a"))))
            #expect(!sql.contains("json"))
        }
    }

    @Test func theTextFollowsTheKindsOfValues() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            func list(_ values: some Sequence<any DatabaseValueConvertible>) throws -> (String, StatementArguments) {
                let values: [any SQLExpressible] = values.map { $0.databaseValue }
                let (sql, arguments) = try statementText(db, Table("t").all().filter(values.contains(Column("a"))))
                return (String(sql.dropFirst(#"SELECT * FROM "t" WHERE "a" IN ("#.count).dropLast()), arguments)
            }
            let blobs = try list((0..<1000).map { Data([UInt8($0 % 7)]) })
            #expect(blobs.0 == "SELECT substr(?, value >> 32, value & 4294967295) FROM json_each(?)")
            #expect(blobs.1.values[0] == Data([0] + (0..<1000).map { UInt8($0 % 7) }).databaseValue)
            let doubles = try list(Array(repeating: 0.5, count: 1000))
            let double = """
                CAST(json_extract(value, '$[0]') AS REAL) * (1 << json_extract(value, '$[1]')) \
                / (1 << json_extract(value, '$[2]')) / (1 << json_extract(value, '$[3]')) \
                / (1 << json_extract(value, '$[4]'))
                """
            #expect(doubles.0 == "SELECT \(double) FROM json_each(?)")
            let large = try list(Array(repeating: 1e300, count: 1000))
            #expect(large.0 == "SELECT \(double) * ? FROM json_each(?)")
            #expect(large.1.values[0] == 0x1p992.databaseValue)
            let texts = try list(Array(repeating: "a\0b\u{E000}", count: 1000))
            #expect(texts.0 == "SELECT replace(value, ?, char(0)) FROM json_each(?)")
            #expect(texts.1.values[0] == "\u{E001}".databaseValue)
            let mixed = try list([1, Data([1])] + Array(repeating: "x" as any DatabaseValueConvertible, count: 1000))
            #expect(
                mixed.0 == "SELECT +value FROM json_each(?) UNION ALL "
                    + "SELECT substr(?, value >> 32, value & 4294967295) FROM json_each(?)")
            #expect(mixed.1.values[1] == Data([0, 1]).databaseValue)
        }
    }

    /// Values of all kinds, alone and in pairs, are found by a list that contains them, and by no other list.
    @Test func anyValuesAreFound() throws {
        var random = SeededGenerator(11)
        let seed = random.seed
        try inLoggedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)") { db, _ throws in
            // SQLite considers 1 and 1.0 equal.
            func known(_ row: [DatabaseValue]) -> [DatabaseValue] {
                row.map { value in
                    guard case .double(let double) = value.storage else { return value }
                    return Int64(exactly: double)?.databaseValue ?? value
                }
            }
            let rows = (0..<4000).map { _ in [Self.value(&random), Self.value(&random)] }
            for row in rows { try db.execute(sql: "INSERT INTO t (a, b) VALUES (?, ?)", arguments: [row[0], row[1]]) }

            let pairs = rows.shuffled(using: &random).prefix(1500)
            let list = pairs.map { rowValue($0[0], $0[1]) }
            let found = Table("t").all().filter(list.contains(rowValue(Column("a"), Column("b"))))
            let knownPairs = Set(pairs.map(known))
            let expected = rows.indices.filter { !rows[$0].contains(.null) && knownPairs.contains(known(rows[$0])) }
            let foundPairs = try Set(found.select(Column("id"), as: Int.self).fetchAll(db).map { $0 - 1 })
            let missing = Set(expected).symmetricDifference(foundPairs).map { rows[$0] }
            #expect(missing == [], "ROWAN_SEED=\(seed)")

            let values = pairs.map { $0[0] }
            let foundAlone = try Table("t").all().filter(values.contains(Column("a")))
                .select(Column("id"), as: Int.self).fetchAll(db).map { $0 - 1 }
            let knownValues = Set(known(values))
            let expectedAlone = rows.indices.filter { !rows[$0][0].isNull && knownValues.contains(known(rows[$0])[0]) }
            let missingAlone = Set(expectedAlone).symmetricDifference(foundAlone).map { rows[$0][0] }
            #expect(missingAlone == [], "ROWAN_SEED=\(seed)")
        }
    }

    private static func value(_ random: inout SeededGenerator) -> DatabaseValue {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return .null
        case 1, 2: return Int64.random(in: .min ... .max, using: &random).databaseValue
        case 3: return Int64.random(in: -99...99, using: &random).databaseValue
        case 4, 5: return Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random)).databaseValue
        case 6: return Double(Int.random(in: -999...999, using: &random) / 8).databaseValue
        case 7:
            return [
                .infinity, -.infinity, Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, .leastNormalMagnitude,
                -0.0,
            ]
            .randomElement(using: &random)!.databaseValue
        case 8, 9, 10:
            let bytes = (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            return Data(bytes).databaseValue
        default:
            let characters: [Unicode.Scalar] = [
                "\0", "a", "\"", "\\", "\u{1}", "\u{1F}", "é", "🌳", "\u{301}", "\u{E000}",
            ]
            let scalars = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                characters.randomElement(using: &random)!
            }
            return String(String.UnicodeScalarView(scalars)).databaseValue
        }
    }

    @Test func emptyBlobs() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO t (a) VALUES (x''), (NULL), (x'00'), ('')")
            let found = Table("t").all().filter(Array(repeating: Data(), count: 1000).contains(Column("a")))
            #expect(try found.fetchAll(db).map { $0["a"] as DatabaseValue } == [Data().databaseValue])
        }
    }

    @Test func interpolatedListsToo() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO t (n) VALUES (7)")
            let request: SQLRequest<Int> = "SELECT n FROM t WHERE n IN \(Array(0..<300_000))"
            #expect(try request.fetchAll(db) == [7])
        }
    }
}
