import Harness
import Rowan

// Record types compared with their tables, which only Rowan supports: the peer's side is written by hand.

extension Assignment {
    func checkSchema() throws -> any Run {
        let types = numbers(20).flatMap { tens in numbers(10).map { units in tens.entry(units) } }.prefix(count)
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.read { db in try db.checkSchema(of: Array(types)) }
        } digest: { mismatches, checksum in
            checksum.add(Int64(mismatches.count))
        } close: {
            try queue.close()
        }
    }
}

/// A number as a type, to generate two hundred record types.
private protocol Number {
    static var value: Int { get }
}

private enum Zero: Number {
    static let value = 0
}

private enum Next<Previous: Number>: Number {
    static var value: Int { Previous.value + 1 }
}

extension Number {
    fileprivate static var next: any Number.Type { Next<Self>.self }

    fileprivate static func entry<Units: Number>(_: Units.Type) -> any TableRecord.Type { Entry<Self, Units>.self }
}

private func numbers(_ count: Int) -> [any Number.Type] {
    var numbers: [any Number.Type] = [Zero.self]
    while numbers.count < count { numbers.append(numbers[numbers.count - 1].next) }
    return numbers
}

private struct Entry<Tens: Number, Units: Number>: Codable, Identifiable, FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "entry\(Tens.value * 10 + Units.value)" }
    var id: Int64
    var name: String
    var score: Int
    var note: String?
    var previousId: Int64?
}
