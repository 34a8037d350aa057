// The types of columns, and the values that keep their class in them. <https://sqlite.org/datatype3.html>

/// The values that a type of column is made for.
enum ColumnClass {
    case values(Affinity)
    /// A column without a type, or of type ANY: it accepts all values.
    case any

    init(declaredType type: String) {
        let acceptsAll = type.isEmpty || type.isSameDatabaseName(as: "ANY")
        self = acceptsAll ? .any : .values(Affinity(declaredType: type))
    }

    /// Whether the column is made for a value: it neither converts it, nor compares it with values of another class.
    func suits(_ value: StoredClass) -> Bool {
        guard case .values(let affinity) = self else { return true }
        return switch (affinity, value) {
        case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): true
        // A date is a text in a DATETIME column, and a number in others; a text of digits loses its form there.
        case (.numeric, .integer), (.numeric, .real), (.numeric, .text(isPlain: false)): true
        // JSON, as text or in SQLite's binary form.
        case (.blob, .text(isPlain: false)): true
        case (.integer, _), (.real, _), (.text, _), (.blob, _), (.numeric, _): false
        }
    }
}

/// The class of a stored value.
enum StoredClass: Equatable {
    case integer, real, blob
    /// Plain if any text can be stored: a `String`, and not a date or JSON.
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

    /// The class that reading a type expects; nil for a type that reads several classes.
    init?(readingAs type: any Any.Type) {
        switch type {
        case is any BinaryInteger.Type, is Bool.Type: self = .integer
        case is any BinaryFloatingPoint.Type: self = .real
        case is String.Type: self = .text(isPlain: true)
        default: return nil
        }
    }

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
