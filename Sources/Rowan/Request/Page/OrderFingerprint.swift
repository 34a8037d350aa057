// The part of its request that a page token keeps: a hash of the order and of the ordered rows. The text of the query
// is hashed with its arguments, because the values in an order determine the positions of rows. The conditions are left
// out: a position in the order stays valid, whichever rows are selected.

extension Relation {
    /// A number that identifies an order of the rows. It is the same in all processes.
    func orderFingerprint(_ orderings: [SQLOrdering], _ resolver: Resolver) throws -> UInt64 {
        var rows = withoutConditions
        rows.selection = selection.filter { $0.isNamed(in: orderings) }
        if rows.selection.isEmpty { rows.selection = [SQLSelection(.symbol(.nothing))] }
        rows.orderings = orderings
        (rows.isReversed, rows.isStablyOrdered) = (false, false)
        for index in rows.joins.indices { rows.joins[index].excludeAll() }
        var renderer = Renderer()
        renderer.write(try resolver.select(rows))
        var hash = StableHash()
        hash.combine(renderer.text)
        try hash.combine(renderer.statementArguments())
        return hash.value
    }

    private var withoutConditions: Relation {
        var result = self
        result.filters = []
        result.prefetches = []
        result.hiddenSelection = []
        for index in result.joins.indices {
            result.joins[index].step.relation = result.joins[index].step.relation.withoutConditions
        }
        return result
    }
}

extension SQLSelection {
    /// Whether an order uses the name that the selection defines.
    fileprivate func isNamed(in orderings: [SQLOrdering]) -> Bool {
        guard case .named(_, let name) = node else { return false }
        return orderings.contains { $0.usedName(among: [name.foldedDatabaseName]) != nil }
    }
}

/// FNV-1a, which gives the same value in all processes, unlike Swift's hashing.
/// <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
private struct StableHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func combine(_ text: String) {
        combine(text.utf8)
        // Marks the end of the text, which can't contain this byte.
        combine(CollectionOfOne(0xFF))
    }

    mutating func combine(_ arguments: StatementArguments) {
        for value in arguments.values { combine(value) }
        for (name, value) in arguments.namedValues.sorted(on: \.key) {
            combine(name)
            combine(value)
        }
    }

    private mutating func combine(_ value: DatabaseValue) {
        switch value.storage {
        case .null: combine("null")
        case .int64(let integer): combine("integer \(integer)")
        case .double(let double): combine("double \(double.bitPattern)")
        case .string(let text):
            combine("text")
            combine(text)
        case .blob(let data):
            combine("blob \(data.count)")
            combine(data)
        }
    }
}
