import Rowan
import Testing

/// A module with a definition in Swift.
private struct CountingModule: VirtualTableModule {
    final class TableDefinition {
        let isTemporary: Bool
        var columns: [String] = []
        var fails = false
        init(isTemporary: Bool) { self.isTemporary = isTemporary }
    }

    let created = Log<String>()
    var moduleName: String { "fts5" }

    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition {
        TableDefinition(isTemporary: configuration.isTemporary)
    }

    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] { definition.columns }

    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {
        created.append("\(tableName) \(definition.isTemporary)")
        try db.execute(sql: "CREATE TABLE side(x)")
        if definition.fails { throw Refusal() }
    }
}

/// A module that only has a name.
private struct PlainModule: VirtualTableModule {
    typealias TableDefinition = Void
    var moduleName: String
}

private func sql(_ db: Database, _ name: String, in schema: String = "main") throws -> String? {
    try String.fetchOne(db, sql: "SELECT sql FROM \(schema).sqlite_master WHERE name = ?", arguments: [name])
}

struct VirtualTableTests {
    @Test func modulesByName() throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "t", using: "fts5(a, b)")
            #expect(try sql(db, "t") == #"CREATE VIRTUAL TABLE "t" USING fts5(a, b)"#)
            try db.create(virtualTable: "t", options: [.ifNotExists], using: "fts5(c)")
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
            expectError(.SQLITE_ERROR, "table \"t\" already exists") {
                try db.create(virtualTable: "t", using: "fts5(c)")
            }
            try db.create(virtualTable: "temporary", options: .temporary, using: "fts5(a)")
            #expect(try db.tableExists("temporary", in: "temp"))
            try #expect(!db.tableExists("temporary", in: "main"))
            expectError(.SQLITE_ERROR, "no such module: nope") { try db.create(virtualTable: "u", using: "nope") }
        }
    }

    @Test func theDefinitionOfAModule() throws {
        try withDatabase { db throws in
            let module = CountingModule()
            try db.create(virtualTable: "my \"t\"", using: module) { t in t.columns = ["a", "b UNINDEXED"] }
            #expect(try sql(db, "my \"t\"") == #"CREATE VIRTUAL TABLE "my ""t""" USING fts5(a, b UNINDEXED)"#)
            #expect(module.created.elements == ["my \"t\" false"])
            try db.drop(table: "side")
            try db.create(virtualTable: "u", options: .temporary, using: module) { t in t.columns = ["a"] }
            #expect(module.created.elements.last == "u true")
        }
    }

    @Test func modulesWithoutDefinition() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE VIRTUAL TABLE tokens USING fts3tokenize")
            try db.create(virtualTable: "t", using: PlainModule(moduleName: "fts3tokenize"))
            #expect(try sql(db, "t") == #"CREATE VIRTUAL TABLE "t" USING fts3tokenize"#)
            expectError(.SQLITE_ERROR, "no such module: it's \"here\"") {
                try db.create(virtualTable: "u", using: PlainModule(moduleName: "it's \"here\""))
            }
        }
    }

    @Test(arguments: [true, false]) func aFailedCreationLeavesNothing(isInTransaction: Bool) throws {
        try withDatabase { db throws in
            if isInTransaction { try db.beginTransaction() }
            let module = CountingModule()
            expectRefusal {
                try db.create(virtualTable: "t", using: module) { t in
                    t.columns = ["a"]
                    t.fails = true
                }
            }
            expectRefusal { try db.create(virtualTable: "t", using: module) { _ in throw Refusal() } }
            expectError(.SQLITE_ERROR) { try db.create(virtualTable: "t", using: module) { t in t.columns = ["'"] } }
            #expect(db.isInsideTransaction == isInTransaction)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") == 0)
            try db.create(virtualTable: "t", using: module) { t in t.columns = ["a"] }
            if isInTransaction { try db.commit() }
            #expect(try db.tableExists("t") && db.tableExists("side"))
        }
    }

    @Test func ifNotExists() throws {
        try withDatabase { db throws in
            let module = CountingModule()
            try db.create(virtualTable: "t", options: .ifNotExists, using: module) { t in t.columns = ["a"] }
            try db.create(virtualTable: "T", options: .ifNotExists, using: module) { t in t.columns = ["b"] }
            #expect(module.created.elements == ["t false"])
            expectError(.SQLITE_ERROR) { try db.create(virtualTable: "t", using: module) { t in t.columns = ["b"] } }
        }
    }

    @available(*, deprecated)
    private func createWithBool(_ db: Database) throws {
        try db.create(virtualTable: "t", ifNotExists: false, using: "fts5(a)")
        try db.create(virtualTable: "t", ifNotExists: true, using: "fts5(b)")
        try db.create(virtualTable: "u", ifNotExists: false, using: FTS5()) { t in t.column("a") }
        try db.create(virtualTable: "u", ifNotExists: true, using: FTS5()) { t in t.column("b") }
    }

    private struct Caller: DeprecatedCaller {
        let test: VirtualTableTests
        @available(*, deprecated) func call(_ db: Database) throws { try test.createWithBool(db) }
    }

    @Test func theDeprecatedForm() throws {
        try withDatabase { db throws in
            let caller: any DeprecatedCaller = Caller(test: self)
            try caller.call(db)
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            #expect(try db.columns(in: "u").map(\.name) == ["a"])
        }
    }
}

/// Calls deprecated methods without a warning.
private protocol DeprecatedCaller {
    func call(_ db: Database) throws
}
