import CFloor
import Foundation

/// A connection of the floor, which only adds error handling.
final class Connection {
    let handle: OpaquePointer

    /// - Parameter isReader: true for a pool's reader, whose page cache is smaller.
    init(path: String, isReader: Bool = false) throws {
        var opened: OpaquePointer?
        let code = floor_open(path, CInt(isReader ? FLOOR_READER_CACHE : FLOOR_WRITER_CACHE), &opened)
        guard code == 0, let opened else {
            throw FloorError(code: code, message: "cannot open \(path)")
        }
        handle = opened
    }

    deinit {
        floor_close(handle)
    }

    func execute(_ sql: String) throws {
        try check(floor_execute(handle, sql))
    }

    func text(_ sql: String) throws -> String {
        guard let text = floor_copy_text(handle, sql) else {
            throw FloorError(code: -1, message: "no value from \(sql)")
        }
        defer { free(text) }
        return String(cString: text)
    }

    func check(_ code: CInt) throws {
        guard code == 0 else {
            throw FloorError(code: code, message: String(cString: floor_message(handle)))
        }
    }
}

struct FloorError: Error {
    let code: CInt
    let message: String
}
