// The values of a JSON text as Swift's types, with JSONDecoder's errors, which types may catch to try something else. A
// path is evaluated only for an error.

import RowanPlatform

extension JSONDocument {
    /// The bytes of a node, without quotes.
    @inline(__always)
    private func withBytes<T>(_ node: Node, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)])) }
    }

    // MARK: Texts

    func string(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> String {
        let node = nodes[index]
        guard node.kind == .string || node.kind == .escaped else { throw mismatch(String.self, at: index, path()) }
        return text(node)
    }

    /// The content of a text or key, or the digits of a number.
    func text(_ node: Node) -> String {
        withBytes(node) { text in
            guard node.kind == .escaped else { return String(decoding: text, as: UTF8.self) }
            return JSONEscape.replaced(in: text)
        }
    }

    /// The value of a key in an object; the first one if the key is repeated. Keys are compared as strings, like those
    /// of dictionaries.
    ///
    /// - Complexity: O(*n*), where *n* is the number of keys.
    func value(of name: String, in object: Int) -> Int? {
        return name.withBytes { bytes in
            let isASCII = bytes.allSatisfy { $0 < 0x80 }
            var index = object + 1
            for _ in 0..<Int(nodes[object].start) {
                let key = nodes[index]
                let isPlain = isASCII && key.kind == .string && key.isASCII
                if isPlain ? withBytes(key, { $0.elementsEqual(bytes) }) : text(key) == name { return index + 1 }
                index = Int(nodes[index + 1].next)
            }
            return nil
        }
    }

    /// The distinct keys of an object, and the first value of each, in textual order.
    func pairs(of object: Int) -> [(key: String, value: Int)] {
        var names: Set<String> = []
        var pairs: [(key: String, value: Int)] = []
        var index = object + 1
        for _ in 0..<Int(nodes[object].start) {
            let name = text(nodes[index])
            if names.insert(name).inserted { pairs.append((name, index + 1)) }
            index = Int(nodes[index + 1].next)
        }
        return pairs
    }

    // MARK: Numbers

    func bool(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> Bool {
        switch nodes[index].kind {
        case .true: return true
        case .false: return false
        // For null too, as in JSONDecoder.
        default: throw DecodingError.typeMismatch(Bool.self, context(Bool.self, at: index, path()))
        }
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(_: T.Type, at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> T {
        let node = nodes[index]
        if node.kind == .integer, let value = int64(node), let integer = T(exactly: value) { return integer }
        throw noInteger(T.self, at: index, path())
    }

    @inline(never)
    private func noInteger(_ type: any Any.Type, at index: Int, _ path: CodingPath?) -> any Error {
        switch nodes[index].kind {
        // JSONDecoder accepts 1.0, 1e3 and numbers of more than 63 bits as integers.
        case .number, .integer: leftToFoundation(type, path)
        default: mismatch(type, at: index, path)
        }
    }

    /// The value of an integer, if it fits in 64 bits.
    @inline(__always)
    private func int64(_ node: Node) -> Int64? {
        withBytes(node) { digits in
            let isNegative = digits[0] == UInt8(ascii: "-")
            // Negative because the least integer has no positive counterpart.
            var value: Int64 = 0
            for index in (isNegative ? 1 : 0)..<digits.count {
                let (product, overflows) = value.multipliedReportingOverflow(by: 10)
                let digit = Int64(truncatingIfNeeded: digits[index] &- UInt8(ascii: "0"))
                let (difference, exceeds) = product.subtractingReportingOverflow(digit)
                if overflows || exceeds { return nil }
                value = difference
            }
            if isNegative { return value }
            return value == .min ? nil : 0 &- value
        }
    }

    @inline(__always)
    func double(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> Double {
        let node = nodes[index]
        // Zero may be negative, and greater integers may need rounding.
        if node.kind == .integer, let value = int64(node), value != 0, value.magnitude < 1 << 53 {
            return Double(value)
        }
        return try float(Double.self, at: index, path())
    }

    func float<T: BinaryFloatingPoint & LosslessStringConvertible>(
        _: T.Type, at index: Int, _ path: @autoclosure () -> CodingPath?
    ) throws -> T {
        let node = nodes[index]
        guard node.kind == .integer || node.kind == .number else { throw mismatch(T.self, at: index, path()) }
        // A zero may be a number too small to represent.
        guard let value = T(text(node)), value.isNormal else {
            if text(node) == "0" || text(node) == "0.0" { return 0 }
            throw leftToFoundation(T.self, path())
        }
        return value
    }

    // MARK: Types

    /// Decodes a type according to the options.
    func decode<T: Decodable>(_: T.Type, at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> T {
        if T.self == Date.self { return try date(at: index, path()) as! T }
        if T.self == Data.self, options.dataIsBase64 { return try data(at: index, path()) as! T }
        if T.self == URL.self { return try url(at: index, path()) as! T }
        if T.self == Decimal.self { return try decimal(at: index, path()) as! T }
        return try T(from: JSONValueDecoder(document: self, index: index, path: path()))
    }

    private func date(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> Date {
        if nodes[index].kind == .null { throw mismatch(Date.self, at: index, path()) }
        let number = try double(at: index, path())
        return switch options.dates {
        case .milliseconds: Date(timeIntervalSince1970: number / 1000)
        case .seconds: Date(timeIntervalSince1970: number)
        case .ownCoding: Date(timeIntervalSinceReferenceDate: number)
        }
    }

    private func decimal(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> Decimal {
        let node = nodes[index]
        guard node.kind == .integer || node.kind == .number else { throw mismatch(Decimal.self, at: index, path()) }
        guard let decimal = Decimal(shortDigits: text(node)) else { throw leftToFoundation(Decimal.self, path()) }
        return decimal
    }

    private func data(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> Data {
        if nodes[index].kind == .null { throw mismatch(Data.self, at: index, path()) }
        if let data = Data(base64Encoded: try string(at: index, path())) { return data }
        throw corrupted("the text is not base64", path())
    }

    private func url(at index: Int, _ path: @autoclosure () -> CodingPath?) throws -> URL {
        if nodes[index].kind == .null { throw mismatch(URL.self, at: index, path()) }
        if let url = URL(string: try string(at: index, path())) { return url }
        throw corrupted("the text is not a URL", path())
    }

    // MARK: Errors

    /// The error for null or a value of another type.
    func mismatch(_ type: any Any.Type, at index: Int, _ path: CodingPath?) -> any Error {
        nodes[index].kind == .null
            ? DecodingError.valueNotFound(type, context(type, at: index, path))
            : DecodingError.typeMismatch(type, context(type, at: index, path))
    }

    private func context(_ type: any Any.Type, at index: Int, _ path: CodingPath?) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: path.keys, debugDescription: "expected \(type), but found \(nodes[index].kind.name)")
    }

    private func corrupted(_ description: String, _ path: CodingPath?) -> any Error {
        DecodingError.dataCorrupted(.init(codingPath: path.keys, debugDescription: description))
    }

    /// The error for a value that only JSONDecoder can decode. The document is then decoded again by it.
    func leftToFoundation(_ type: any Any.Type, _ path: CodingPath?) -> any Error {
        needsFoundation = true
        return corrupted("\(type) is left to JSONDecoder", path)
    }
}

extension Decimal {
    /// The value of a number with up to 18 digits; nil for other numbers and for zero, which may be negative.
    fileprivate init?(shortDigits text: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        var decimals = parts.count == 2 ? parts[1] : ""
        while decimals.last == "0" { decimals.removeLast() }
        guard text.utf8.count <= 18, let digits = Int64(parts[0] + decimals), digits != 0 else { return nil }
        self.init(
            sign: digits < 0 ? .minus : .plus, exponent: -decimals.utf8.count, significand: Decimal(digits.magnitude))
    }
}

extension JSONDocument.Node.Kind {
    /// The name for error messages.
    fileprivate var name: String {
        switch self {
        case .null: "null"
        case .false, .true: "a Boolean"
        case .integer, .number: "a number"
        case .string, .escaped: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
