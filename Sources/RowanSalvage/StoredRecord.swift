// The values of a row, as they are in the file.
// Source: https://sqlite.org/fileformat2.html#record_format

import RowanPlatform

/// A value of a record. Texts and blobs are ranges of its bytes, because a text need not be valid.
enum StoredValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(Range<Int>)
    case blob(Range<Int>)
}

/// A row, or the key of an index.
struct StoredRecord {
    /// The bytes in which the values are.
    let bytes: [UInt8]
    /// Values that can't be read are NULL.
    private(set) var values: [StoredValue] = []
    /// Whether each value was read, and nothing contradicts them.
    private(set) var isWhole = true

    /// - Parameters:
    ///   - bytes: the bytes that contain the record.
    ///   - range: the part of the record that was found.
    ///   - size: the size of the whole record.
    /// - Returns: nil if the record has no header that can be read.
    init?(_ bytes: [UInt8], _ range: Range<Int>, size: Int) {
        self.bytes = bytes
        guard let header = bytes.varint(at: range.lowerBound, before: range.upperBound),
            header.value >= UInt64(header.end - range.lowerBound), header.value <= UInt64(min(size, range.count))
        else { return nil }
        let headerEnd = range.lowerBound + Int(header.value)
        var (position, content) = (header.end, headerEnd)
        while position < headerEnd {
            guard let type = bytes.varint(at: position, before: headerEnd) else {
                isWhole = false
                break
            }
            position = type.end
            append(type.value, &content, range.upperBound)
        }
        if content - range.lowerBound != size { isWhole = false }
    }

    /// Appends the value of a type, and moves the position behind its content.
    private mutating func append(_ type: UInt64, _ position: inout Int, _ end: Int) {
        let size: UInt64 =
            switch type {
            case 0, 8, 9: 0
            case 1...4: type
            case 5: 6
            case 6, 7: 8
            case 10, 11: 0
            default: (type - 12) / 2
            }
        guard type != 10, type != 11, position <= end, size <= UInt64(end - position) else {
            isWhole = false
            values.append(.null)
            // The values behind it are not known either.
            position = type == 10 || type == 11 ? position : .max / 2
            return
        }
        let range = position..<(position + Int(size))
        position = range.upperBound
        switch type {
        case 0: values.append(.null)
        case 8, 9: values.append(.integer(Int64(type - 8)))
        case 7: values.append(.real(Double(bitPattern: UInt64(bitPattern: integer(range)))))
        case 1...6: values.append(.integer(integer(range)))
        default: values.append(type % 2 == 0 ? .blob(range) : .text(range))
        }
    }

    private func integer(_ range: Range<Int>) -> Int64 {
        var value = Int64(Int8(bitPattern: bytes[range.lowerBound]))
        for byte in bytes[range].dropFirst() { value = value << 8 | Int64(byte) }
        return value
    }

    /// The text of a value, for the names and the definitions of the schema.
    func text(at index: Int, _ encoding: FileHeader.Encoding) -> String? {
        guard index < values.count, case .text(let range) = values[index] else { return nil }
        return switch encoding {
        case .utf8: String(validating: bytes[range], as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian:
            String(validating: utf16(range, isLittle: encoding == .utf16LittleEndian), as: UTF16.self)
        }
    }

    private func utf16(_ range: Range<Int>, isLittle: Bool) -> [UInt16] {
        stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).map {
            isLittle ? bytes.uint16(at: $0).byteSwapped : bytes.uint16(at: $0)
        }
    }
}
