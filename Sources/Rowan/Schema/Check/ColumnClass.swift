// The types of columns, and the values that keep their class in them. <https://sqlite.org/datatype3.html>

import RowanPlatform

/// The values that a column type is made for.
enum ColumnClass {
    case values(Affinity)
    /// A column of a STRICT table, which rejects other values.
    case strict(Affinity)
    /// A column without a type, or of type ANY in a STRICT table. It keeps all values.
    case any

    init(declaredType type: String, isStrict: Bool) {
        if type.isEmpty || isStrict && type.isSameDatabaseName(as: "ANY") {
            self = .any
        } else {
            self = isStrict ? .strict(Affinity(declaredType: type)) : .values(Affinity(declaredType: type))
        }
    }

    /// Whether the column is made for a value: it neither converts it nor compares it with values of another class.
    func suits(_ value: StoredClass) -> Bool {
        let affinity: Affinity
        switch self {
        case .any: return true
        case .strict(let type):
            affinity = type
            // Such a column accepts only blobs.
            if affinity == .blob { return value == .blob }
        case .values(let type): affinity = type
        }
        return switch (affinity, value) {
        case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): true
        // A date is text in a DATETIME column and a number in others; numeric text loses its form there.
        case (.numeric, .integer), (.numeric, .real), (.numeric, .text(isPlain: false)): true
        // JSON, as text or in SQLite's binary form.
        case (.blob, .text(isPlain: false)): true
        case (.integer, _), (.real, _), (.text, _), (.blob, _), (.numeric, _): false
        }
    }
}

/// A collection that is stored as JSON.
private protocol JSONCollection {}
extension Array: JSONCollection {}
extension Set: JSONCollection {}
extension Dictionary: JSONCollection {}

/// The class of a stored value.
enum StoredClass: Equatable {
    case integer, real, blob
    /// Plain if any text can be stored: a `String`, but not a date or JSON.
    case text(isPlain: Bool)

    /// The class of a value; nil for NULL.
    init?(_ value: DatabaseValue, isPlainText: Bool) {
        switch value.storage {
        case .null: return nil
        case .int64: self = .integer
        case .double: self = .real
        case .string: self = .text(isPlain: isPlainText)
        case .blob: self = .blob
        }
    }

    /// The class expected when reading a type; nil for a type that reads several classes.
    init?(readingAs type: any Any.Type) {
        switch type {
        case is any BinaryInteger.Type, is Bool.Type: self = .integer
        case is any BinaryFloatingPoint.Type: self = .real
        case is String.Type: self = .text(isPlain: true)
        default: return nil
        }
    }

    /// The class of the values that a generated record stores for a type; nil if it is unknown: the program's own types
    /// may store anything, and their code must not run for a check.
    init?(storing type: any Any.Type) {
        if let known = StoredClass(readingAs: type) {
            self = known
            return
        }
        switch type {
        case is Date.Type, is URL.Type, is Decimal.Type, is DatabaseDateComponents.Type: self = .text(isPlain: false)
        case is Data.Type, is UUID.Type: self = .blob
        case let type as any RawRepresentable.Type:
            guard let raw = StoredClass(storingRaw: type) else { return nil }
            self = raw == .text(isPlain: true) ? .text(isPlain: false) : raw
        default:
            guard !(type is any DatabaseValueConvertible.Type), type is any JSONCollection.Type else { return nil }
            self = .text(isPlain: false)
        }
    }

    /// The class of the values of a storage; nil for the program's own storages.
    init?(storage: any Any.Type) {
        switch storage {
        case is UnixTimeStorage.Type, is MillisecondStorage.Type: self = .integer
        case is VectorStorage.Type: self = .blob
        case is ISO8601Storage.Type, is UUIDTextStorage.Type, is JSONStorage.Type: self = .text(isPlain: false)
        default: return nil
        }
    }

    private init?<Raw: RawRepresentable>(storingRaw type: Raw.Type) { self.init(storing: Raw.RawValue.self) }

    /// The name in SQL.
    var name: String {
        switch self {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        }
    }
}
