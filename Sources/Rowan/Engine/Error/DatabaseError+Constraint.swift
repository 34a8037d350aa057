// The constraint that an error is about, as far as SQLite's message identifies it.

extension DatabaseError {
    /// A violated constraint.
    public struct Constraint: Hashable, Sendable {
        /// The kinds of constraints.
        public enum Kind: Hashable, Sendable {
            /// A UNIQUE constraint, or a unique index.
            case unique
            /// The primary key or the rowid.
            case primaryKey
            /// A NOT NULL constraint.
            case notNull
            /// A CHECK constraint.
            case check
            /// A foreign key. SQLite does not report which one.
            case foreignKey
            /// The type of a column in a STRICT table.
            case dataType
            /// `RAISE` in a trigger, whose message is that of the error.
            case trigger
            /// Another constraint, such as that of a virtual table.
            case other
        }

        /// The kind of the constraint.
        public let kind: Kind
        /// The table, if SQLite names it.
        public let table: String?
        /// The columns, if SQLite names them.
        public let columns: [String]
        /// The name of a CHECK constraint, or its expression if it has no name; the name of a unique index on
        /// expressions.
        public let name: String?
    }

    /// The violated constraint; nil for other errors.
    ///
    /// ```swift
    /// do {
    ///     try player.insert(db)
    /// } catch let error as DatabaseError where error.constraint?.kind == .unique {
    ///     // UNIQUE constraint failed: player.email
    ///     throw FormError.alreadyTaken(error.constraint?.columns ?? [])   // ["email"]
    /// }
    /// ```
    ///
    /// SQLite gives the table and columns unquoted in its message text, so table names with dots and column names with
    /// commas can't always be separated.
    public var constraint: Constraint? {
        guard resultCode == .SQLITE_CONSTRAINT else { return nil }
        let kind = Constraint.Kind(extendedResultCode)
        var subject = Substring(message ?? "")
        // Text added by a method that inserts many records.
        if let addition = subject.firstRange(of: " - inserting the record at index ") {
            subject = subject[..<addition.lowerBound]
        }
        // Text added when a table is rebuilt.
        if let advice = subject.firstRange(of: ")\(Self.adviceOfRebuild)") { subject = subject[..<advice.lowerBound] }
        switch kind {
        case .unique, .primaryKey, .notNull, .check:
            guard let start = subject.firstRange(of: " constraint failed: ") else { break }
            subject = subject[start.upperBound...]
            if kind == .check { return Constraint(kind: kind, name: String(subject)) }
            if subject.hasPrefix("index '"), subject.hasSuffix("'") {
                return Constraint(kind: kind, name: String(subject.dropFirst(7).dropLast()))
            }
            return Constraint(kind: kind, names: subject)
        case .dataType:
            guard let start = subject.firstRange(of: " column ") else { break }
            return Constraint(kind: kind, names: subject[start.upperBound...])
        case .foreignKey, .trigger, .other: break
        }
        return Constraint(kind: kind, name: nil)
    }
}

extension DatabaseError {
    /// The end of the message when a row violates the new definition of its table.
    static let adviceOfRebuild = ". Copy another value to the column, or change the row before"
}

extension DatabaseError.Constraint {
    fileprivate init(kind: Kind, name: String?) { self.init(kind: kind, table: nil, columns: [], name: name) }

    /// - Parameter names: `player.email, player.team`.
    fileprivate init(kind: Kind, names: Substring) {
        let qualified = names.split(separator: ", ", omittingEmptySubsequences: false)
        guard let first = qualified.first, let dot = first.firstIndex(of: ".") else {
            self.init(kind: kind, name: nil)
            return
        }
        let table = first[..<dot]
        let columns = qualified.map { $0.hasPrefix("\(table).") ? String($0.dropFirst(table.count + 1)) : String($0) }
        self.init(kind: kind, table: String(table), columns: columns, name: nil)
    }
}

extension DatabaseError.Constraint.Kind {
    fileprivate init(_ code: ResultCode) {
        switch code {
        case .SQLITE_CONSTRAINT_UNIQUE: self = .unique
        case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: self = .primaryKey
        case .SQLITE_CONSTRAINT_NOTNULL: self = .notNull
        case .SQLITE_CONSTRAINT_CHECK: self = .check
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self = .foreignKey
        case .SQLITE_CONSTRAINT_DATATYPE: self = .dataType
        case .SQLITE_CONSTRAINT_TRIGGER: self = .trigger
        default: self = .other
        }
    }
}
