// A stream that stores its text, and the text of a dump.

import Foundation
import Rowan
import Testing

/// A stream that stores what it receives.
final class TextSink: TextOutputStream {
    private(set) var text = ""
    /// The number of bytes of each write.
    private(set) var sizes: [Int] = []

    func write(_ string: String) {
        text += string
        sizes.append(string.utf8.count)
    }
}

/// The text that a dump prints.
func dumped(_ body: (TextSink) throws -> Void) throws -> String {
    let sink = TextSink()
    try body(sink)
    return sink.text
}

/// The text of a query in a format.
func dumped(_ sql: SQL, as format: some DumpFormat) throws -> String {
    try withDatabase { db throws in try dumped { try db.dumpSQL(sql, format: format, to: $0) } }
}
