// The objects of JSON lines, in the buffer they were read into. Source: https://jsonlines.org

import Rowan
import RowanPlatform

/// Reads a JSON object per line.
final class JSONLinesReader: ImportReader {
    let fileName: String?
    let lineOfNames: Int? = nil
    let hasNames = true
    private(set) var line = 0

    /// In the order of their first appearance.
    private(set) var allColumnNames: [String] = []
    /// The columns of the current line, as indexes of those of all lines.
    private var columns: [Int] = []
    private(set) var layout = 0
    private var indexes: [[UInt8]: Int] = [:]
    /// The bytes of the keys.
    private var keyBytes: [[UInt8]] = []
    private var layouts: [[Int]: Int] = [[]: 0]
    private var layoutCount = 1

    private var buffer: ImportBuffer
    /// The length of the current line with its end.
    private var length = 0
    private var parser = JSONParser()
    /// The nodes of the values of the current line.
    private var values: [Int] = []

    private static let maximumLayoutCount = 256
    private static let notBase64 = "the value of this BLOB is not in Base64"

    init(_ source: any ImportSource, capacity: Int = 1 << 16) throws {
        fileName = source.name
        buffer = try ImportBuffer(source, capacity: capacity)
    }

    var columnNames: [String] { columns.map { allColumnNames[$0] } }

    // MARK: The lines

    func advance() throws -> Bool {
        while let text = try nextLine() {
            guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
            try read(text)
            return true
        }
        return false
    }

    /// The next line, without its end.
    private func nextLine() throws -> UnsafeBufferPointer<UInt8>? {
        buffer.pass(length)
        length = 0
        line += 1
        repeat {
            if let end = memchr(buffer.bytes + length, 0x0A, buffer.count - length) {
                let count = UnsafeRawPointer(end) - UnsafeRawPointer(buffer.bytes)
                length = count + 1
                return UnsafeBufferPointer(start: buffer.bytes, count: count)
            }
            length = buffer.count
        } while try buffer.read(line: line)
        return length == 0 ? nil : UnsafeBufferPointer(start: buffer.bytes, count: length)
    }

    private func read(_ text: UnsafeBufferPointer<UInt8>) throws {
        let isValid = parser.parse(text)
        let previous = columns
        columns.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        guard isValid else { throw error(nil, malformed(text)) }
        guard parser.nodes[0].kind == .object else {
            let isArray = parser.nodes[0].kind == .array
            throw error(nil, "the line is \(isArray ? "an array" : "a value") instead of an object")
        }
        var node = 1
        for position in 0..<Int(parser.nodes[0].start) {
            let column = column(of: parser.nodes[node], previous.indices.contains(position) ? previous[position] : nil)
            columns.append(column)
            values.append(node + 1)
            node = Int(parser.nodes[node + 1].next)
        }
        if columns != previous { try noteLayout() }
    }

    private func malformed(_ text: UnsafeBufferPointer<UInt8>) -> String {
        guard parser.index < text.count else { return "the JSON object has no end" }
        return "the line is not valid JSON, from byte \(parser.index + 1) on"
    }

    /// The column of a key, which is often that of the key at the same position of the line before.
    private func column(of node: JSONDocument.Node, _ expected: Int?) -> Int {
        let bytes = bytes(node)
        if let expected, node.kind == .string, bytes.elementsEqual(keyBytes[expected]) { return expected }
        let key = node.kind == .string ? Array(bytes) : Array(JSONEscape.replaced(in: bytes).utf8)
        if let known = indexes[key] { return known }
        indexes[key] = allColumnNames.count
        allColumnNames.append(String(decoding: key, as: UTF8.self))
        keyBytes.append(key)
        return allColumnNames.count - 1
    }

    private func noteLayout() throws {
        if let known = layouts[columns] {
            layout = known
            return
        }
        var seen: Set<Int> = []
        for (position, column) in columns.enumerated() where !seen.insert(column).inserted {
            defer { columns = [] }
            throw error(position, "the key occurs twice")
        }
        // A file may have any number of layouts.
        if layouts.count == Self.maximumLayoutCount { layouts = [:] }
        layout = layoutCount
        layouts[columns] = layout
        layoutCount += 1
    }

    // MARK: The values

    /// The bytes of a number, or of the content of a text.
    private func bytes(_ node: JSONDocument.Node) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: buffer.bytes + Int(node.start), count: Int(node.end - node.start))
    }

    func note(in columns: inout [InferredColumn]) {
        while columns.count < allColumnNames.count { columns.append(InferredColumn()) }
        for (column, value) in zip(self.columns, values) {
            let node = parser.nodes[value]
            switch node.kind {
            case .null: break
            case .true, .false: columns[column].noteBoolean()
            case .integer, .number: columns[column].note(bytes(node))
            case .string, .escaped, .array, .object: columns[column].noteText()
            }
        }
    }

    func add(_ index: Int, as column: ImportedColumn, to batch: ImportBatch) throws {
        let node = parser.nodes[values[index]]
        switch node.kind {
        case .null: batch.add(.null)
        case .true, .false: column.add(node.kind == .true, to: batch)
        case .integer, .number:
            let number = bytes(node)
            if !column.addNumber(number, to: batch) { column.addText(number, to: batch) }
        case .string: try add(bytes(node), index, as: column, to: batch)
        case .escaped:
            try JSONEscape.replaced(in: bytes(node)).withBytes { try add($0, index, as: column, to: batch) }
        case .array, .object:
            // After the quote of the key, there are a colon and space.
            let key = parser.nodes[values[index] - 1]
            var start = Int(key.end) + 1
            while buffer.bytes[start] != UInt8(ascii: "{"), buffer.bytes[start] != UInt8(ascii: "[") { start += 1 }
            batch.add(UnsafeBufferPointer(start: buffer.bytes + start, count: Int(node.end) - start))
        }
    }

    private func add(
        _ text: UnsafeBufferPointer<UInt8>, _ index: Int, as column: ImportedColumn, to batch: ImportBatch
    ) throws {
        guard column.kind == .blob else { return column.addText(text, to: batch) }
        guard let data = Data(base64Encoded: String(decoding: text, as: UTF8.self)) else {
            throw error(index, Self.notBase64)
        }
        batch.add(data)
    }
}
