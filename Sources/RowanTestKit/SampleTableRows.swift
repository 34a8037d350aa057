// The search for rows that satisfy the constraints of a table: SQLite decides, because only it knows all of them.

import Rowan

/// Inserts the sample rows of one table.
struct SampleTableRows {
    static let rowCount = 10

    /// Values of the columns of a slot.
    private struct Choice {
        var values: [String: DatabaseValue] = [:]
        /// The columns that refer to the row itself, with the columns that they refer to.
        var own: [(origin: String, destination: String)] = []
        var hasNull: Bool { values.values.contains(.null) }
    }

    private let db: Database
    private let table: SampleTable
    /// The tables that have no rows yet.
    private let waiting: [SampleTable]

    init(_ db: Database, _ table: SampleTable, waiting: [SampleTable]) {
        (self.db, self.table, self.waiting) = (db, table, waiting)
    }

    /// - Returns: the reason why the first row doesn't fit; nil if any row does.
    func insert() throws -> String? {
        let list = table.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let marks = repeatElement("?", count: table.columns.count).joined(separator: ", ")
        let name = table.name.quotedDatabaseIdentifier
        var compiled: Statement?
        // OR ABORT: a conflict clause of the table could replace rows.
        let error = try db.violation {
            compiled = try db.makeStatement(sql: "INSERT OR ABORT INTO main.\(name) (\(list)) VALUES (\(marks))")
        }
        guard let statement = compiled else { return error?.message }
        var (reason, count) = (String?.none, 0)
        for row in 0..<Self.rowCount {
            // No other row is likely to fit either.
            if row == 2, count == 0 { break }
            let choices = try table.slots.map { try self.choices($0, row) }
            if let slot = choices.firstIndex(where: \.isEmpty) {
                let parents = table.slots[slot].references.map(\.key.destinationTable).uniqued
                return "it needs a row of \(parents.joined(separator: " and "))"
            }
            var search = Search(
                choices: choices.map { $0.map(\.hasNull) }, concerned: table.slots(concernedBy:),
                budget: count == 0 ? 5_000 : 500
            ) { row in try insert(zip(row, choices).map { $1[$0] }, statement) }
            if let failure = try search.run() { reason = reason ?? failure.message } else { count += 1 }
        }
        return count == 0 ? reason : nil
    }

    private func insert(_ choices: [Choice], _ statement: Statement) throws -> DatabaseError? {
        var row: [String: DatabaseValue] = [:]
        for choice in choices { row.merge(choice.values) { $1 } }
        for (origin, destination) in choices.flatMap(\.own) { row[origin] = row[destination] }
        let arguments = StatementArguments(table.columns.map { row[$0] ?? .null })
        return try db.violation {
            try statement.execute(arguments: arguments)
            if db.changesCount == 0 {
                throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_TRIGGER, message: "a trigger ignores the row")
            }
        }
    }

    // MARK: Choices

    /// What a row tries for a slot. The last two rows prefer NULL.
    private func choices(_ slot: SampleTable.Slot, _ row: Int) throws -> [Choice] {
        let prefersNull = row >= Self.rowCount - 2
        guard slot.references.isEmpty else { return try choices(slot, row, prefersNull) }
        let column = slot.columns[0]
        let values = candidates(column, prefersNull ? 0 : row, row)
        let null: [DatabaseValue] = table.isNullable(column) ? [.null] : []
        return (prefersNull ? null + values : values + null).map { Choice(values: [column: $0]) }
    }

    private func candidates(_ column: String, _ rotation: Int, _ row: Int) -> [DatabaseValue] {
        table.values[column]?.candidates(row: row, rotation: rotation) ?? []
    }

    /// The parents of a row, for foreign keys that share columns.
    private func choices(_ slot: SampleTable.Slot, _ row: Int, _ prefersNull: Bool) throws -> [Choice] {
        var result = [Choice()]
        for reference in slot.references {
            let origins = reference.key.originColumns.map(\.foldedDatabaseName)
            let parents = try keys(reference, row).rotated(by: row)
            var (referring, null): ([Choice], [Choice]) = ([], [])
            for choice in result {
                for parent in parents {
                    let agrees = zip(origins, parent).allSatisfy { choice.values[$0] ?? $1 == $1 }
                    guard agrees else { continue }
                    var next = choice
                    next.values.merge(zip(origins, parent)) { $1 }
                    referring.append(next)
                }
                if reference.isToItself {
                    var next = choice
                    next.own += reference.key.mapping.map {
                        ($0.origin.foldedDatabaseName, $0.destination.foldedDatabaseName)
                    }
                    referring.append(next)
                }
                var next = choice
                next.values.merge(reference.nullable.map { ($0, DatabaseValue.null) }) { first, _ in first }
                if origins.contains(where: { next.values[$0] == .null }) { null.append(next) }
            }
            result = Array((prefersNull ? null + referring : referring + null).prefix(64))
        }
        return result.map { choice in
            var choice = choice
            for column in slot.columns where choice.values[column] == nil {
                choice.values[column] = candidates(column, 0, row).first
            }
            return choice
        }
    }

    /// The keys of the parent rows; in a cycle, the key that a parent row will probably have.
    private func keys(_ reference: SampleTable.Reference, _ row: Int) throws -> [[DatabaseValue]] {
        let parents = try reference.parents(db)
        guard parents.isEmpty, reference.nullable.isEmpty, !reference.isToItself,
            let parent = waiting.first(where: { $0.name.isSameDatabaseName(as: reference.key.destinationTable) })
        else { return parents }
        let key = reference.key.destinationColumns.compactMap { column in
            parent.values[column.foldedDatabaseName]?.candidates(row: row, rotation: 0).first
        }
        return key.count == reference.key.mapping.count ? [key] : []
    }
}

/// A search for a row: an index into the choices of each slot.
private struct Search {
    /// For each choice of each slot, whether it contains NULL.
    let choices: [[Bool]]
    let concerned: (DatabaseError) -> [Int]
    /// The number of rows to try.
    var budget: Int
    let insert: ([Int]) throws -> DatabaseError?

    /// - Returns: the error of the first row; nil if a row was inserted.
    mutating func run() throws -> DatabaseError? {
        let first = choices.map { _ in 0 }
        guard let failure = try insert(first) else { return nil }
        let nulls = choices.map { $0.firstIndex(of: true) ?? 0 }
        if try succeeds(from: first, failure) { return nil }
        guard nulls != first, let other = try insert(nulls) else { return nulls == first ? failure : nil }
        return try succeeds(from: nulls, other) ? nil : failure
    }

    /// Changes one or two choices until another constraint fails, then starts again from that row.
    private mutating func succeeds(from start: [Int], _ failure: DatabaseError) throws -> Bool {
        var (row, failure, known) = (start, failure, Set<String?>())
        let insert = self.insert
        while known.insert(failure.message).inserted {
            let slots = concerned(failure)
            var progress: (row: [Int], failure: DatabaseError)?
            for count in 1...2 where progress == nil {
                let isDone = try change(row, slots[...], count) { changed in
                    guard let error = try insert(changed) else { return true }
                    if progress == nil, !known.contains(error.message) { progress = (changed, error) }
                    return false
                }
                if isDone { return true }
            }
            guard let progress else { return false }
            (row, failure) = progress
        }
        return false
    }

    /// Calls a closure with each row that differs in `count` slots, until it returns true.
    private mutating func change(
        _ row: [Int], _ slots: ArraySlice<Int>, _ count: Int, _ body: ([Int]) throws -> Bool
    ) throws -> Bool {
        guard count > 0 else {
            budget -= 1
            return try budget >= 0 && body(row)
        }
        for (position, slot) in zip(slots.indices, slots) {
            for index in choices[slot].indices where index != row[slot] && budget > 0 {
                var changed = row
                changed[slot] = index
                if try change(changed, slots[(position + 1)...], count - 1, body) { return true }
            }
        }
        return false
    }
}
