/// An order-sensitive digest of fetched or stored values. It is neither cryptographic nor measured.
public struct Checksum {
    public private(set) var value: UInt64 = 0x51_7C_C1_B7_27_22_0A_95

    public init() {}

    public mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 32
    }

    public mutating func add(_ integer: Int64) {
        add(UInt64(bitPattern: integer))
    }

    public mutating func add(_ double: Double) {
        add(double.bitPattern)
    }

    public mutating func add(_ bool: Bool) {
        add(UInt64(bool ? 1 : 0))
    }

    public mutating func add(utf8 bytes: some Sequence<UInt8>) {
        var count: UInt64 = 0
        for byte in bytes {
            add(UInt64(byte))
            count += 1
        }
        add(count)
    }

    public mutating func add(_ string: String?) {
        guard let string else { return add(UInt64.max) }
        add(utf8: string.utf8)
    }

    /// Adds a date, which databases store with millisecond precision.
    public mutating func add(secondsSince1970 seconds: Double) {
        add(Int64((seconds * 1000).rounded()))
    }
}

/// A record that digests its values in column order.
public protocol Digestible {
    func digest(into checksum: inout Checksum)
}

extension Checksum {
    public mutating func add(_ records: [some Digestible]) {
        add(Int64(records.count))
        for record in records {
            record.digest(into: &self)
        }
    }
}
