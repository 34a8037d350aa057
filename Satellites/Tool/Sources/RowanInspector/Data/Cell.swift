// Values, as pages show them.

import Foundation
import Rowan
import RowanCommands
import RowanPictures

/// A value, or its start.
struct Cell: Sendable {
    enum Kind: String, Sendable { case null, integer, real, text, blob }

    var kind: Kind
    var text: String
    /// The size of a text or blob of which only the start is here, in bytes.
    var size: Int?

    /// The characters that are shown of a value among many, and on the page of its row.
    static let (fewCharacters, manyCharacters) = (160, 20_000)

    static func size(of column: ColumnInfo) -> String { "length(CAST(\(column.name.quotedIdentifier) AS BLOB))" }

    /// The value, or the start of a long one.
    static func selection(_ column: ColumnInfo, characters: Int) -> SQL {
        let name = column.name.quotedIdentifier
        // A character has at most four bytes. SQLite's substr() ends at NUL, so that a short value is read as it is.
        return SQL(
            sql:
                "CASE WHEN \(size(of: column)) > \(4 * characters) THEN substr(\(name), 1, \(characters)) ELSE \(name) END"
        )
    }

    /// - Parameter size: that of the whole value, in bytes.
    init(_ value: DatabaseValue, size: Int?, characters: Int) {
        self.init(value)
        if let size, kind == .blob || size > 4 * characters { self.size = size }
    }

    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: (kind, text) = (.null, "NULL")
        case .int64(let integer): (kind, text) = (.integer, String(integer))
        case .double(let real): (kind, text) = (.real, "\(real)")
        case .string(let string): (kind, text) = (.text, string)
        case .blob(let data):
            kind = .blob
            text = data.prefix(24).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            size = data.count
        }
    }

    /// The class of its place in a table: a number, a long text that is broken anywhere, or a short one.
    func style(inNumbers: Bool) -> Markup {
        if inNumbers { return " class=\"number\"" }
        return text.count > 32 || size != nil ? " class=\"long\"" : ""
    }

    var isNumber: Bool { kind == .integer || kind == .real }

    /// - Parameter characters: the characters of a text that are shown.
    func markup(characters: Int = fewCharacters) -> Markup {
        switch kind {
        case .null: return "<span class=\"null\">NULL</span>"
        case .integer, .real: return "\(text)"
        case .blob:
            return
                "<span class=\"blob\">\(text)\(size ?? 0 > 24 ? "…" : "")</span> <small>\(Self.bytes(size ?? 0))</small>"
        case .text:
            guard text.count > characters || size != nil else { return "\(text)" }
            return
                "\(String(text.prefix(characters)))<span class=\"cut\">…</span> <small>\(Self.bytes(size ?? text.utf8.count))</small>"
        }
    }

    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["bytes", "kB", "MB", "GB"] {
            if value < 1_000 || unit == "GB" {
                return unit == "bytes" ? "\(count) bytes" : "\((value * 10).rounded() / 10) \(unit)"
            }
            value /= 1_000
        }
        return "\(count) bytes"
    }
}

extension Int {
    /// The number with spaces between thousands.
    var grouped: String {
        let digits = String(magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "\u{2009}" }
            result.append(digit)
        }
        return self < 0 ? "-" + result : result
    }
}
