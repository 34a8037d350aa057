// Names and values that would be harmful if they were read as SQL, wherever a request has a name.

import Rowan
import Testing

private let names = [
    #"a"b"#, "a'b", "a`b", "a]b", "select", "order by", "👩‍👩‍👧", "é à", " ", ";", "--", "/* x */", "a.b", "?", ":name",
    "@x",
    "$x", #""; DROP TABLE t; --"#, "'); DROP TABLE t; --", "a\nb", "\\", "%", "null", "*", "rowid ", "main",
]

struct HostileNameTests {
    private func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    private func run(_ name: String, _ body: (Database) throws -> Void) throws {
        try inLoggedDatabase { db, _ throws in
            try db.create(table: name) { t in
                t.column("id", .integer).primaryKey()
                t.column(name, .text)
                t.column("parent", .integer).references(name)
            }
            try db.execute(
                literal: "INSERT INTO \(identifier: name) VALUES (1, \(name), NULL), (2, 'b', 1), (3, \(name), 1)")
            try body(db)
            #expect(try db.tableExists(name))
        }
    }

    @Test(arguments: names) func aliasesAndKeys(name: String) throws {
        try run(name) { db throws in
            let table = Table<Row>(name)
            let foreignKey = ForeignKey(["parent"])
            let parent = table.belongsTo(table, key: name, using: foreignKey)
            let children = table.hasMany(table, key: name, using: foreignKey)
            let alias = TableAlias<Row>(name: name + "2", for: Row.self)
            let (t, p) = (quoted(name), quoted(name + "2"))
            let request = table.all().including(required: parent.aliased(alias)).filter(alias[name] == name)
                .order(Column("id"))
            let text = try statementText(db, request)
            #expect(
                text.sql == "SELECT \(t).*, \(p).* FROM \(t) JOIN \(t) \(p) ON \(p).\"id\" = \(t).\"parent\" "
                    + "WHERE \(p).\(t) = ? ORDER BY \(t).\"id\"")
            #expect(text.arguments == [name])
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0.scopes[name]?[name] as String? } == [name, name])
            let counted = table.all().annotated(
                with: children.count.forKey(name + "#"), children.max(Column(name)).forKey("max"))
            let counts = try Row.fetchAll(db, counted.order(Column("id")))
            #expect(counts.map { $0[name + "#"] as Int } == [2, 0, 0])
            let all = try Row.fetchAll(db, table.all().including(all: children).order(Column("id")))
            #expect(all.map { $0.prefetchedRows[name]?.count } == [2, 0, 0])
            let selected = table.all().select(Column(name).forKey(name)).order(Column("id"))
            #expect(try Row.fetchAll(db, selected).map { $0[name] as String } == [name, "b", name])
        }
    }

    @Test(arguments: names) func commonTablesAndWindows(name: String) throws {
        try run(name) { db throws in
            let table = Table<Row>(name).all()
            let cte = CommonTableExpression<Row>(
                named: name + "2", columns: [name], request: table.select(Column(name)).filter(Column("id") > 1))
            let rows = try Row.fetchAll(db, cte.all().with(cte).order(Column(name)))
            #expect(Set(rows.map { $0[name] as String }) == [name, "b"])
            let text = try statementText(db, cte.all().with(cte)).sql
            let (c, t) = (quoted(name + "2"), quoted(name))
            #expect(text == "WITH \(c)(\(t)) AS (SELECT \(t) FROM \(t) WHERE \"id\" > ?) SELECT * FROM \(c)")
            let contained = table.filter(cte.contains(Column(name))).with(cte)
            #expect(try contained.fetchCount(db) == 3)
            let window = Window(partitionBy: [Column(name)], orderBy: [Column("id")])
            let ranked = table.window(name, window).select(rowNumber().over(name).forKey(name)).order(Column("id"))
            let numbers = try Row.fetchAll(db, ranked).map { $0[name] as Int }
            #expect(numbers == [1, 1, 2])
        }
    }

    @Test(arguments: names) func schemas(name: String) throws {
        guard name != "main" else { return }
        let (queue, _) = try loggedQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(literal: "ATTACH ':memory:' AS \(identifier: name)")
            try db.execute(
                literal:
                    "CREATE TABLE \(identifier: name).\(identifier: name) (id INTEGER PRIMARY KEY, \(identifier: name))"
            )
            let table = Table<Row>(name, in: name)
            try db.execute(literal: "INSERT INTO \(table) VALUES (1, \(name))")
            let request = table.all().filter(Column(name) == name)
            let text = try statementText(db, request).sql
            #expect(text == "SELECT * FROM \(quoted(name)).\(quoted(name)) WHERE \(quoted(name)) = ?")
            #expect(try request.fetchCount(db) == 1)
            #expect(try db.primaryKey(name, in: name).columns == ["id"])
            #expect(try table.all().filter(key: 1).updateAll(db, Column(name).set(to: "x")) == 1)
            #expect(try table.all().filter(Column(name) == "x").deleteAll(db) == 1)
        }
    }

    @Test(arguments: names + ["", "a\0b"]) func valuesEverywhere(value: String) throws {
        try inLoggedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, j TEXT)") { db, _ throws in
            try db.execute(literal: "INSERT INTO t (a) VALUES (\(value)), ('other')")
            let (t, a) = (Table<Row>("t").all(), Column("a"))
            let requests = [
                t.filter(a == value), t.filter([value, value].contains(a)), t.filter((value...value).contains(a)),
                t.filter((a ?? value) == value), t.filter(a === value), t.filter(key: 1).filter(a == value),
                t.filter(t.select(a).filter(a == value).contains(a)), t.filter(a != "other"),
                t.filter(CaseExpression(a).when(value, then: true).otherwise(false)),
            ]
            for request in requests {
                #expect(try request.fetchCount(db) == 1)
                #expect(try request.select(a, as: String.self).fetchOne(db) == value)
            }
            let selected = try Row.fetchOne(db, t.select(value.databaseValue.sqlExpression.forKey("v")))
            #expect(selected?["v"] == value)
            let grouped = t.select(a).group(a).having(max(a) == value)
            #expect(try Row.fetchAll(db, grouped).map { $0["a"] as String } == [value])
            if !value.contains("\0") {
                try db.execute(literal: "UPDATE t SET j = json_object(\(value), 7)")
                let path = Column("j").asJSON.jsonExtract(atPath: "$." + "\"" + value + "\"")
                if !value.contains("\""), !value.contains("\\"), !value.contains("\n") {
                    #expect(try t.filter(path == 7).fetchCount(db) == 2)
                }
                // Some aren't JSON paths, which only causes an error.
                let member = t.filter(Column("j").asJSON[value.databaseValue] == 7)
                let error = databaseError { try member.fetchCount(db) }
                #expect(error == nil || error?.message?.contains("path") == true)
                #expect(try t.fetchCount(db) == 2)
            }
        }
    }
}
