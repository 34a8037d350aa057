// Numbers in text, in the only form in which nothing is lost when they are stored as numbers: no leading zeros and plus signs,
// and no more digits than a number has.

import Rowan
import RowanPlatform

/// A number that is written as SQLite and Swift write it.
enum ExactNumber {
    case integer(Int64)
    case real(Double)

    /// - Returns: nil if the bytes are no number, or one that can't be stored without a loss.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        // The longest one is -2.2250738585072014e-308.
        guard !bytes.isEmpty, bytes.count <= 24 else { return nil }
        var index = 0
        let isNegative = bytes[0] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var digits = Digits()
        let first = index
        while index < bytes.count, let digit = bytes[index].decimalDigit {
            digits.append(digit)
            index += 1
        }
        guard index > first, bytes[first] != UInt8(ascii: "0") || index == first + 1 else { return nil }
        if index == bytes.count {
            guard let integer = digits.integer(isNegative: isNegative), integer != 0 || !isNegative else { return nil }
            self = .integer(integer)
            return
        }
        var exponent = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            let start = index
            while index < bytes.count, let digit = bytes[index].decimalDigit {
                digits.append(digit)
                index += 1
            }
            guard index > start else { return nil }
            exponent = start - index
        }
        if index < bytes.count {
            guard let written = Self.exponent(UnsafeBufferPointer(rebasing: bytes[index...])) else { return nil }
            exponent += written
        }
        guard digits.count <= 17, let magnitude = digits.real(exponent: exponent, bytes), magnitude.isFinite else {
            return nil
        }
        self = .real(isNegative ? -magnitude : magnitude)
    }

    /// The exponent in `e-10`.
    private static func exponent(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes[0] | 0x20 == UInt8(ascii: "e") else { return nil }
        var rest = bytes[1...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.count <= 4 else { return nil }
        var exponent = 0
        for byte in rest {
            guard let digit = byte.decimalDigit else { return nil }
            exponent = exponent * 10 + Int(digit)
        }
        return isNegative ? -exponent : exponent
    }

    /// The digits of a number, without leading zeros.
    private struct Digits {
        private(set) var count = 0
        private var value: UInt64 = 0
        private var hasOverflown = false

        mutating func append(_ digit: UInt8) {
            if value > 0 || digit > 0 { count += 1 }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            value = sum
            hasOverflown = hasOverflown || overflow || carry
        }

        func integer(isNegative: Bool) -> Int64? {
            guard !hasOverflown else { return nil }
            return isNegative
                ? (value <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- value) : nil) : Int64(exactly: value)
        }

        /// The nearest number. Products and quotients of exact numbers are rounded once.
        func real(exponent: Int, _ text: UnsafeBufferPointer<UInt8>) -> Double? {
            if value <= 1 << 53, -22...22 ~= exponent {
                let power = Self.powers[abs(exponent)]
                return exponent < 0 ? Double(value) / power : Double(value) * power
            }
            return Double(String(decoding: text, as: UTF8.self))?.magnitude
        }

        private static let powers: [Double] = (0...22).map { Double("1e\($0)") ?? .nan }
    }
}

extension UInt8 {
    fileprivate var decimalDigit: UInt8? {
        let digit = self &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}
