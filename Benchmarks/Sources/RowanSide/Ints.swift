import Harness
import Rowan

// Rows of ten integers, decoded in three ways and encoded in two.

/// Decoded by index.
struct IndexedInts {
    var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9: Int
}

extension IndexedInts: FetchableRecord, TableRecord {
    static let databaseTableName = "ints"

    init(row: Row) {
        c0 = row[0]
        c1 = row[1]
        c2 = row[2]
        c3 = row[3]
        c4 = row[4]
        c5 = row[5]
        c6 = row[6]
        c7 = row[7]
        c8 = row[8]
        c9 = row[9]
    }
}

/// Decoded and encoded by name.
struct NamedInts {
    var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9: Int
}

extension NamedInts: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ints"

    init(row: Row) {
        c0 = row["c0"]
        c1 = row["c1"]
        c2 = row["c2"]
        c3 = row["c3"]
        c4 = row["c4"]
        c5 = row["c5"]
        c6 = row["c6"]
        c7 = row["c7"]
        c8 = row["c8"]
        c9 = row["c9"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["c0"] = c0
        container["c1"] = c1
        container["c2"] = c2
        container["c3"] = c3
        container["c4"] = c4
        container["c5"] = c5
        container["c6"] = c6
        container["c7"] = c7
        container["c8"] = c8
        container["c9"] = c9
    }
}

/// Decoded and encoded by the Codable conformance that the compiler generates.
struct CodableInts: Codable {
    var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9: Int
}

extension CodableInts: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ints"
}

// MARK: - Samples and checksums

/// The harness's interface to the three records.
protocol TenIntegers: Digestible {
    init(c0: Int, c1: Int, c2: Int, c3: Int, c4: Int, c5: Int, c6: Int, c7: Int, c8: Int, c9: Int)
    var integers: [Int] { get }
}

extension TenIntegers {
    init(_ sample: IntsSample) {
        let v = sample.values.map { Int($0) }
        self.init(
            c0: v[0], c1: v[1], c2: v[2], c3: v[3], c4: v[4], c5: v[5], c6: v[6], c7: v[7], c8: v[8], c9: v[9])
    }

    func digest(into checksum: inout Checksum) {
        for integer in integers {
            checksum.add(Int64(integer))
        }
    }
}

extension IndexedInts: TenIntegers {
    var integers: [Int] { [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] }
}

extension NamedInts: TenIntegers {
    var integers: [Int] { [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] }
}

extension CodableInts: TenIntegers {
    var integers: [Int] { [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] }
}
