// Where the bytes of a file come from.

import Rowan
import RowanPlatform

/// A stream of bytes.
protocol ImportSource: AnyObject {
    /// The name in errors.
    var name: String? { get }

    /// Reads some bytes.
    ///
    /// - Returns: their number; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// Starts again.
    ///
    /// - Returns: false for a pipe, which can be read once.
    func rewind() -> Bool
}

extension ImportSource {
    func rewind() -> Bool { false }

    /// A source that can be read twice, for a source that has not been read.
    func repeatable() throws -> any ImportSource {
        guard !rewind() else { return self }
        var data = Data()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        while case let count = try read(into: buffer), count > 0 {
            data.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return ImportData(data, name: name)
    }
}

/// A file, or another thing that has a path, such as a pipe.
final class ImportFile: ImportSource {
    let name: String?
    private let descriptor: CInt

    init(_ path: String) throws {
        name = path
        var descriptor: CInt
        repeat { descriptor = open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw Self.error(path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = readBytes(descriptor, buffer)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.error(name ?? "") }
        }
    }

    func rewind() -> Bool { lseek(descriptor, 0, SEEK_SET) == 0 }

    private static func error(_ path: String) -> ImportError {
        ImportError(path, line: nil, field: nil, "can't read the file: \(String(cString: strerror(errno)))")
    }
}

/// Bytes in memory.
final class ImportData: ImportSource {
    let name: String?
    private let data: Data
    private var position = 0

    init(_ data: Data, name: String?) {
        self.data = data
        self.name = name
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, data.count - position)
        data.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
        }
        position += count
        return count
    }

    func rewind() -> Bool {
        position = 0
        return true
    }
}

/// A closure.
final class ImportStream: ImportSource {
    let name: String?
    private let body: (UnsafeMutableRawBufferPointer) throws -> Int

    init(_ name: String?, _ body: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.name = name
        self.body = body
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try body(buffer)
        guard 0...buffer.count ~= count else {
            throw ImportError(
                name, line: nil, field: nil,
                "can't read the text: the closure has returned \(count) as a number of bytes")
        }
        return count
    }
}

/// The system's `read`, which the methods of this name hide.
private func readBytes(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
