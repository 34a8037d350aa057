// Frames of the protocol, written by hand, so that the tests share no code with the tested code. Both the tests and the
// reliability kit compile this folder.

/// The bytes of words, in little-endian order.
func words(_ words: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * words.count)
    for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
}

/// The bytes of a text field.
func text(_ text: String) -> [UInt8] { padded(Array(text.utf8) + [0]) }

/// The bytes of a blob field.
func blob(_ bytes: [UInt8]) -> [UInt8] { words(UInt64(bytes.count)) + padded(bytes) }

private func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
}

/// A frame with a type and a body.
func frame(_ type: UInt8, _ body: [UInt8], schema: UInt8 = 0) -> [UInt8] {
    let size = UInt32(body.count / 8)
    return (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + [type, schema, 0, 0] + body
}

/// A value of a row: its type and its bytes.
struct WireValue: Sendable {
    let type: UInt8
    let bytes: [UInt8]

    static func integer(_ value: Int64) -> Self { .init(type: 1, bytes: words(UInt64(bitPattern: value))) }
    static func double(_ value: Double) -> Self { .init(type: 2, bytes: words(value.bitPattern)) }
    static func text(_ value: String) -> Self { .init(type: 3, bytes: padded(Array(value.utf8) + [0])) }
    static func blob(_ value: [UInt8]) -> Self { .init(type: 4, bytes: words(UInt64(value.count)) + padded(value)) }
    static var null: Self { .init(type: 5, bytes: words(0)) }
}

/// A frame with rows.
func rowsFrame(_ names: [String], _ rows: [[WireValue]], isLast: Bool = true) -> [UInt8] {
    var body = words(UInt64(names.count)) + names.flatMap(text)
    for row in rows {
        var header = Array(repeating: UInt8(0), count: (row.count + 15) / 16 * 8)
        for (index, value) in row.enumerated() { header[index / 2] |= value.type << (4 * (index % 2)) }
        body += header + row.flatMap(\.bytes)
    }
    return frame(7, body + words(isLast ? .max : 0xEEEE_EEEE_EEEE_EEEE))
}

/// The chains of one connection: of the requests that follow, none runs after one has failed.
struct AnsweredChain {
    private var rest = 0
    private var hasFailed = false

    /// The response to a request.
    ///
    /// - Parameter answer: runs a request.
    mutating func answer<Answer>(
        _ request: [UInt8], own: ([UInt8]) -> Answer, _ answer: ([UInt8]) -> Answer, isFailure: (Answer) -> Bool
    ) -> Answer {
        if request[4] == 241 {
            (rest, hasFailed) = (Int(request[8]), false)
            return own(frame(8, words(0)))
        }
        guard rest > 0 else { return answer(request) }
        rest -= 1
        if hasFailed { return own(frame(0, words(20_002) + text("an earlier request has failed"))) }
        let response = answer(request)
        hasFailed = isFailure(response)
        return response
    }

    /// The response to a request, whose frames begin with the failure if it has failed.
    mutating func answer(_ request: [UInt8], _ answer: ([UInt8]) -> [UInt8]) -> [UInt8] {
        self.answer(request, own: { $0 }, answer) { $0.count > 4 && $0[4] == 0 }
    }
}
