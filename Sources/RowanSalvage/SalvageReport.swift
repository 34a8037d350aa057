// What was recovered and what was lost.

/// The result of ``/Rowan/Database/salvage(_:into:configuration:freePages:busyTimeout:)``.
///
/// Article: <doc:SalvagingADatabase>.
public struct SalvageReport: Sendable, Equatable {
    /// The rows of a table.
    public struct Table: Sendable, Equatable {
        /// The name of the table.
        public let name: String
        /// The number of rows that are in the table again.
        public internal(set) var rowCount = 0
        /// The number of rows of the table that are in ``SalvageReport/lostTable`` instead: they are incomplete or violate
        /// a constraint.
        public internal(set) var lostRowCount = 0
        /// The number of pages of the table that could not be read. Each is the loss of all its rows, unless they are in
        /// ``SalvageReport/lostTable``.
        public internal(set) var damagedPageCount = 0
    }

    /// An object of the schema that could not be created.
    public struct Failure: Sendable, Equatable {
        /// `table`, `index`, `view` or `trigger`.
        public let type: String
        /// The name of the object.
        public let name: String
        /// Its definition in the damaged file.
        public let sql: String
        /// The reason.
        public let message: String
    }

    /// The size of a page, in bytes.
    public let pageSize: Int
    /// The number of pages of the damaged file.
    public let pageCount: Int
    /// Whether the header of the file was read. If not, the encoding of the texts was guessed.
    public let isHeaderIntact: Bool
    /// The tables, in the order of the schema.
    public internal(set) var tables: [Table] = []
    /// The objects that could not be created. The rows of such a table are in ``lostTable``.
    public internal(set) var failures: [Failure] = []
    /// The name of the table with the rows that could not be put into their tables; nil if there are none.
    public internal(set) var lostTable: String?
    /// The number of rows in ``lostTable``.
    public internal(set) var lostRowCount = 0
    /// The number of rows in ``lostTable`` of which only some values could be read. The others are NULL.
    public internal(set) var incompleteRowCount = 0
    /// The number of rows that could not be read at all, in pages that could.
    public internal(set) var unreadableRowCount = 0
    /// The numbers of pages that could not be read, or not as a whole, in ascending order.
    public internal(set) var damagedPages: [Int] = []
    /// The number of rows that refer to a row that doesn't exist, by a foreign key.
    public internal(set) var foreignKeyViolationCount = 0

    /// Whether no damage was found: the recovered database then has all rows.
    public var isComplete: Bool {
        isHeaderIntact && failures.isEmpty && lostRowCount == 0 && unreadableRowCount == 0 && damagedPages.isEmpty
    }
}

extension SalvageReport: CustomStringConvertible {
    /// A line per table, and a line per kind of loss.
    public var description: String {
        var lines = tables.map { table in
            "\(table.name): \(count(table.rowCount, "row"))"
                + (table.lostRowCount > 0 ? ", \(table.lostRowCount) more in \(lostTable ?? "")" : "")
                + (table.damagedPageCount > 0 ? ", \(count(table.damagedPageCount, "unreadable page"))" : "")
        }
        if !isHeaderIntact { lines.append("the header of the file could not be read") }
        lines += failures.map { "the \($0.type) \($0.name) could not be created: \($0.message)" }
        if let lostTable {
            let incomplete = incompleteRowCount > 0 ? ", \(incompleteRowCount) of them incomplete" : ""
            lines.append("\(lostTable): \(count(lostRowCount, "row"))\(incomplete)")
        }
        if unreadableRowCount > 0 { lines.append("\(count(unreadableRowCount, "row")) could not be read") }
        if !damagedPages.isEmpty {
            let more = damagedPages.count > 20 ? ", …" : ""
            let numbers = damagedPages.prefix(20).map(String.init).joined(separator: ", ")
            lines.append("\(count(damagedPages.count, "damaged page")) of \(pageCount): \(numbers)\(more)")
        }
        if foreignKeyViolationCount > 0 {
            lines.append("\(count(foreignKeyViolationCount, "row")) violate a foreign key")
        }
        return lines.joined(separator: "\n")
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
