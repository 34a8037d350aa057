// Aliases created by the resolver for correlated subqueries and joins. Their numbers never appear in SQL.

import Synchronization

/// The number of created aliases. Numbers are never reused, because a resolved query may become part of a later one.
private let givenAliasCount = Atomic<Int>(0)

extension TableAliasID {
    /// Creates an alias with a negative number, unlike the user's aliases.
    package static func given() -> TableAliasID {
        TableAliasID(number: -givenAliasCount.add(1, ordering: .relaxed).newValue, name: nil)
    }

    var isOfUser: Bool { number > 0 }
}
