// Decodes the bytes of frames, as the driver does.

import Rowan

@testable import RowanCluster

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
