// The aliases that the resolver gives, as correlated subqueries and joins need them. No SQL shows their numbers.

import Synchronization

/// How many aliases were given. None is given twice, because a resolved query may be a part of a later one.
private let givenAliasCount = Atomic<Int>(0)

extension TableAliasID {
    /// A new alias, whose number is below zero, unlike those of users.
    package static func given() -> TableAliasID {
        TableAliasID(number: -givenAliasCount.add(1, ordering: .relaxed).newValue, name: nil)
    }

    var isOfUser: Bool { number > 0 }
}
