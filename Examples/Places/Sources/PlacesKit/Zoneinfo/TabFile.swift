import Foundation

/// A file of the tz database: tab-separated columns, and comments that start with `#`.
struct TabFile {
    let path: String

    /// Calls a function with the columns of each line, and adds the line's location to the errors that it throws.
    func forEachLine(_ body: (_ columns: [String]) throws -> Void) throws {
        var holdsLines = false
        for (index, bytes) in try contents().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            guard let first = bytes.first, first != UInt8(ascii: "#") else { continue }
            holdsLines = true
            do {
                guard let line = String(validating: bytes, as: UTF8.self) else { throw MalformedLine.Reason.notUTF8 }
                try body(line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init))
            } catch let reason as MalformedLine.Reason {
                throw MalformedLine(file: path, line: index + 1, reason: reason)
            }
        }
        if !holdsLines { throw ZoneinfoError.empty(file: path) }
    }

    private func contents() throws -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ZoneinfoError.unreadable(file: path, reason: error.localizedDescription)
        }
    }
}
