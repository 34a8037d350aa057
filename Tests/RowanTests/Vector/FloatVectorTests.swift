// The storage of vectors: blobs of 32-bit floats, in records of all kinds.

import Foundation
import Rowan
import RowanRecords
import Testing

private struct Plain: Codable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "document"
    var id: Int64
    var embedding: FloatVector
    /// An array in a Codable record is stored as JSON.
    var weights: [Float]
}

@Record("document") private struct Generated: Equatable {
    var id: Int64
    @Column(as: .vector) var embedding: [Float]
    @Column(as: .vector) var other: [Float]?
    var weights: [Float]
}

@Record("document") private struct Wrapped: Equatable {
    var id: Int64
    var embedding: FloatVector
}

@Suite
struct FloatVectorTests {
    private let one = Data([0, 0, 0x80, 0x3F, 0, 0, 0, 0x40])

    private func withDocuments(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: "CREATE TABLE document (id INTEGER PRIMARY KEY, embedding BLOB, other BLOB, weights TEXT)")
            try body(db)
        }
    }

    @Test func theBlob() {
        #expect(FloatVector([1, 2]).databaseValue == one.databaseValue)
        #expect(FloatVector([]).databaseValue == Data().databaseValue)
        #expect(FloatVector.fromDatabaseValue(one.databaseValue) == [1, 2])
        #expect(FloatVector.fromDatabaseValue(Data().databaseValue) == [])
        for other in [DatabaseValue.null, "[1, 2]".databaseValue, 1.databaseValue, one.dropLast().databaseValue] {
            #expect(FloatVector.fromDatabaseValue(other) == nil)
        }
        // A slice of data does not start at index 0.
        #expect(FloatVector.fromDatabaseValue((Data([9]) + one).dropFirst().databaseValue) == [1, 2])
    }

    @Test func allFiniteElementsComeBack() throws {
        var generator = SeededGenerator(seed: 11)
        try withDatabase { db in
            for count in [0, 1, 3, 128, 1_000] {
                let elements = (0..<count).map { _ -> Float in
                    let element = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator))
                    return element.isFinite ? element : -0
                }
                let read = try FloatVector.fetchOne(db, sql: "SELECT ?", arguments: [FloatVector(elements)])
                #expect(read?.elements.map(\.bitPattern) == elements.map(\.bitPattern))
            }
        }
    }

    @Test func records() throws {
        try withDocuments { db in
            let plain = Plain(id: 1, embedding: [1, 2], weights: [0.5])
            try plain.insert(db)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM document"))
            #expect(row["embedding"] == one && row["weights"] == "[0.5]")
            try #expect(Plain.fetchAll(db) == [plain])
            let generated = Generated(id: 1, embedding: [1, 2], other: nil, weights: [0.5])
            try #expect(Generated.fetchAll(db) == [generated])
            try #expect(Wrapped.fetchAll(db) == [Wrapped(id: 1, embedding: [1, 2])])
            try Generated(id: 2, embedding: [], other: [1, 2], weights: []).insert(db)
            try #expect(Generated.fetchOne(db, key: 2) == Generated(id: 2, embedding: [], other: [1, 2], weights: []))
            try #expect(Data.fetchOne(db, sql: "SELECT other FROM document WHERE id = 2") == one)
            // A typed column.
            try #expect(Wrapped.filter { $0.embedding == [1, 2] }.fetchCount(db) == 1)
            try #expect(Wrapped.select(\.embedding, as: FloatVector.self).fetchAll(db) == [[1, 2], []])
        }
    }

    @Test func jsonOfAVector() throws {
        let json = try JSONEncoder().encode(["v": FloatVector([1, 2.5])])
        #expect(String(decoding: json, as: UTF8.self) == #"{"v":[1,2.5]}"#)
        #expect(try JSONDecoder().decode([String: FloatVector].self, from: json) == ["v": [1, 2.5]])
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .signalingNaN])
    func elementsThatAreNoNumbers(_ element: Float) throws {
        let message =
            "an argument is a vector with an element that is infinite, or not a number: check the vector before"
        let ofColumn = message.replacing("an argument", with: "the value of column embedding")
        try withDocuments { db in
            expectError(.SQLITE_MISMATCH, ofColumn) {
                try Plain(id: 1, embedding: [1, FloatVector([element]).elements[0]], weights: []).insert(db)
            }
            expectError(.SQLITE_MISMATCH, ofColumn) {
                try Generated(id: 1, embedding: [element], other: nil, weights: []).insert(db)
            }
            expectError(.SQLITE_MISMATCH, ofColumn) {
                try Plain.insertAll(db, [Plain(id: 1, embedding: [element], weights: [])])
            }
            expectError(.SQLITE_MISMATCH, message) {
                try Plain.updateAll(db, Column("embedding").set(to: FloatVector([element])))
            }
            let many = (0..<2_000).map { FloatVector([Float($0)]) } + [[element]]
            expectError(.SQLITE_MISMATCH, message) {
                try Plain.filter(many.contains(Column("embedding"))).fetchCount(db)
            }
            db.add(function: DatabaseFunction("wrong", argumentCount: 0) { _ in FloatVector([element]) })
            let error = expectError(.SQLITE_MISMATCH) { try Row.fetchOne(db, sql: "SELECT wrong()") }
            #expect(error?.message?.contains("vector with an element") == true)
            try #expect(Plain.fetchCount(db) == 0)
        }
    }

    @Test func aBlobThatIsNoVector() throws {
        try withDocuments { db in
            try db.execute(sql: "INSERT INTO document VALUES (1, x'010203', NULL, '[]')")
            expectDecodingError("embedding", "FloatVector") { try Plain.fetchAll(db) }
            expectDecodingError("embedding") { try Generated.fetchAll(db) }
        }
    }
}
