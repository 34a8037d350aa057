// Tables of sqlite-vec: their definitions, records and errors.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("document_vec") private struct DocumentVector: Equatable {
    var id: Int64?
    var owner: Int
    @Column(as: .vector) var embedding: [Float]
    var year: Int
    var summary: String?
}

func withVec(_ body: (Database) throws -> Void) throws { try withDatabase(.withVec, body) }

@Suite
struct Vec0Tests {
    /// The arguments of a definition's module, without a table.
    private func arguments(_ body: (Vec0TableDefinition) -> Void) throws -> [String] {
        try withDatabase { db in
            let definition = Vec0().makeTableDefinition(configuration: try configuration())
            body(definition)
            return try Vec0().moduleArguments(for: definition, in: db)
        }
    }

    /// A configuration, which exists only during a creation.
    private func configuration() throws -> VirtualTableConfiguration {
        struct Probe: VirtualTableModule {
            let note: (VirtualTableConfiguration) -> Void
            var moduleName: String { "fts5" }
            func makeTableDefinition(configuration: VirtualTableConfiguration) { note(configuration) }
            func moduleArguments(for definition: Void, in db: Database) -> [String] { ["a"] }
        }
        var found: VirtualTableConfiguration?
        try withDatabase { try $0.create(virtualTable: "t", using: Probe { found = $0 }) }
        return try #require(found)
    }

    @Test func theArguments() throws {
        let all = try arguments { t in
            t.primaryKey("id")
            t.column("owner", .integer).partitionKey()
            t.vector("embedding", dimension: 384, distance: .cosine)
            t.vector("title", dimension: 1)
            t.vector("body", dimension: 8_192, distance: .l1)
            t.column("year", .integer)
            t.column("price", .float)
            t.column("language", .text)
            t.column("isPublic", .boolean)
            t.column("summary", .text).auxiliary()
            t.column("image", .blob).auxiliary()
            t.chunkSize = 64
        }
        #expect(
            all == [
                "id INTEGER PRIMARY KEY", "owner INTEGER PARTITION KEY", "embedding float[384] distance_metric=cosine",
                "title float[1]", "body float[8192] distance_metric=l1", "year INTEGER", "price FLOAT", "language TEXT",
                "isPublic BOOLEAN", "+summary TEXT", "+image BLOB", "chunk_size=64",
            ])
        try #expect(
            arguments {
                $0.primaryKey("uuid", .text); $0.vector("v", dimension: 2)
            }.first == "uuid TEXT PRIMARY KEY")
    }

    @Test func badDefinitions() throws {
        func refuse(_ part: String, _ body: (Vec0TableDefinition) -> Void) {
            let error = expectError(.SQLITE_MISUSE) { try arguments(body) }
            #expect(error?.message?.contains(part) == true, "\(error?.message ?? "")")
        }
        refuse("needs a vector: call t.vector") { $0.column("year", .integer) }
        for dimension in [0, -1, 8_193] {
            refuse("the dimension is \(dimension)") { $0.vector("v", dimension: dimension) }
        }
        for name in ["my col", "", "é", "1a", "a-b", "a]", "distance", "K", "rowid", "a\0"] {
            refuse("does not understand this name") { $0.vector(name, dimension: 2) }
        }
        refuse("can't have the type blob: use integer, float, text, boolean") {
            $0.vector("v", dimension: 2)
            $0.column("b", .blob)
        }
        refuse("can't have the type boolean: use integer, text") {
            $0.vector("v", dimension: 2)
            $0.column("b", .boolean).partitionKey()
        }
        refuse("can't have the type float: use integer, text") {
            $0.vector("v", dimension: 2)
            $0.primaryKey("b", .float)
        }
        refuse("can't have the type boolean: use integer, float, text, blob") {
            $0.vector("v", dimension: 2)
            $0.column("b", .boolean).auxiliary()
        }
        for size in [0, -8, 12] {
            refuse("the size of chunks is \(size)") {
                $0.vector("v", dimension: 2)
                $0.chunkSize = size
            }
        }
    }

    @Test func withoutTheExtension() throws {
        try withDatabase { db in
            expectError(.SQLITE_ERROR, "no such module: vec0") {
                try db.create(virtualTable: "t", using: Vec0()) { $0.vector("v", dimension: 2) }
            }
        }
    }

    private func createDocuments(_ db: Database) throws {
        try db.create(virtualTable: "document_vec", using: Vec0()) { t in
            t.primaryKey("id")
            t.column("owner", .integer).partitionKey()
            t.vector("embedding", dimension: 2)
            t.column("year", .integer)
            t.column("summary", .text).auxiliary()
        }
    }

    @Test(.needsVec, arguments: ConnectionKind.allCases)
    func recordsInATable(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, .withVec)
        try writer.write { db in
            try createDocuments(db)
            // Sqlite-vec chooses a key, which is not set on the record, because no column is declared as the rowid.
            var first = DocumentVector(id: nil, owner: 1, embedding: [1, 2], year: 2020, summary: "a")
            try first.insert(db)
            #expect(first.id == nil && db.lastInsertedRowID == 1)
            var second = DocumentVector(id: 7, owner: 1, embedding: [3, 4], year: 2021, summary: nil)
            try second.insert(db)
            second.year = 2022
            second.embedding = [5, 6]
            try second.updateChanges(db) { $0.summary = "b" }
        }
        try #expect(
            writer.read { try DocumentVector.fetchAll($0) } == [
                DocumentVector(id: 1, owner: 1, embedding: [1, 2], year: 2020, summary: "a"),
                DocumentVector(id: 7, owner: 1, embedding: [3, 4], year: 2021, summary: "b"),
            ])
        try writer.write { db in
            try #expect(DocumentVector.deleteOne(db, key: 1))
            try #expect(DocumentVector.fetchOne(db, key: 7)?.embedding == [3, 4])
            try #expect(DocumentVector.fetchOne(db, key: 1) == nil)
        }
    }

    @Test(.needsVec)
    func badVectorsInATable() throws {
        try withVec { db in
            try createDocuments(db)
            func refuse(_ embedding: [Float], _ part: String) {
                var document = DocumentVector(id: nil, owner: 1, embedding: embedding, year: 2020, summary: nil)
                let error = #expect(throws: DatabaseError.self) { try document.insert(db) }
                #expect(error?.message?.contains(part) == true, "\(error?.message ?? "")")
            }
            refuse([1, 2, 3], #"Dimension mismatch for inserted vector for the "embedding" column"#)
            refuse([], "zero-length vectors are not supported")
            refuse([.nan, 1], "an element that is infinite, or not a number")
            try #expect(DocumentVector.fetchCount(db) == 0)
        }
    }

    /// Observations and schema snapshots don't contain sqlite-vec's internal tables.
    @Test(.needsVec)
    func shadowTables() throws {
        try withVec { db in
            try createDocuments(db)
            try #expect(db.tables(in: "main").map(\.name) == ["document_vec"])
        }
    }

    /// Unsupported operations throw sqlite-vec's own error.
    @Test(.needsVec)
    func whatTablesRefuse() throws {
        try withVec { db in
            try createDocuments(db)
            var document = DocumentVector(id: 1, owner: 1, embedding: [1, 2], year: 2020, summary: "a")
            try document.insert(db)
            // Saving an existing record updates it. Its partition is unchanged unless it is set.
            document.year = 2021
            try document.updateChanges(
                db, from: DocumentVector(id: 1, owner: 1, embedding: [1, 2], year: 2020, summary: "a"))
            try #expect(DocumentVector.fetchOne(db, key: 1) == document)
            var twin = document
            expectError(.SQLITE_ERROR) { try twin.insert(db) }
            expectError(.SQLITE_ERROR) { try twin.upsert(db) }
            twin.owner = 2
            let error = expectError(.SQLITE_ERROR) { try twin.update(db, columns: ["owner"]) }
            #expect(error?.message?.contains("partition key columns are not supported") == true)
            try #expect(DocumentVector.fetchAll(db) == [document])
        }
    }

    @Test(.needsVec)
    func aDumpRestoresATable() throws {
        try withVec { db in
            try createDocuments(db)
            for id in 1...3 {
                var document = DocumentVector(
                    id: Int64(id), owner: 1, embedding: [Float(id), 2], year: 2020, summary: nil)
                try document.insert(db)
            }
            let all = try DocumentVector.fetchAll(db)
            let stream = TextStream()
            try db.dumpScript(to: stream)
            try withVec { copy in
                try copy.execute(sql: stream.text)
                try #expect(DocumentVector.fetchAll(copy) == all)
                try #expect(DocumentVector.nearest(to: [3, 2], k: 1).fetchAll(copy).map(\.id) == [3])
            }
        }
    }
}

private final class TextStream: TextOutputStream {
    var text = ""
    func write(_ string: String) { text += string }
}
