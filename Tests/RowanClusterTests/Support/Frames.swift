// Frames of the protocol, written by hand, so that the tests share no code with the tested code.

import Rowan
@testable import RowanCluster

/// The bytes of words, in little-endian order.
func words(_ words: UInt64...) -> [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
}

/// The bytes of a text field.
func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    return bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
}

/// The bytes of a blob field.
func blob(_ bytes: [UInt8]) -> [UInt8] {
    words(UInt64(bytes.count)) + bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
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
    static func text(_ value: String) -> Self { .init(type: 3, bytes: RowanClusterTests.text(value)) }
    static func blob(_ value: [UInt8]) -> Self { .init(type: 4, bytes: RowanClusterTests.blob(value)) }
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

/// All responses in the bytes, which arrive in pieces of the given size.
func responses(_ bytes: [UInt8], pieces: Int = .max) throws(WireError) -> [Response] {
    var buffer = FrameBuffer()
    var result: [Response] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = try buffer.fill { room in
            let piece = rest.prefix(min(pieces, room.count))
            room.copyBytes(from: piece)
            return piece.count
        }
        rest = rest.dropFirst(count)
        while let response = try buffer.next() { result.append(response) }
    }
    return result
}

/// The values of all rows in the bytes.
func values(_ bytes: [UInt8]) throws -> [[DatabaseValue]] {
    var result: [[DatabaseValue]] = []
    for response in try responses(bytes) {
        guard case .rows(let part) = response else { continue }
        result += try values(part)
    }
    return result
}

/// The values of all rows of a part.
func values(_ part: RowsPart) throws -> [[DatabaseValue]] {
    var reader = RowReader(part)
    var result: [[DatabaseValue]] = []
    while try reader.next() { result.append(reader.values) }
    return result
}
