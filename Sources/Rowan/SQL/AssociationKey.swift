// The name of an association in rows, and in the names of its aggregates.

/// The key of an association: its name in the fetched rows.
package struct AssociationKey: Hashable, Sendable {
    /// The name that the key is made from.
    package let name: String
    /// Whether the name is that of a table, which is inflected, rather than the user's own.
    package let isInflected: Bool

    package static func table(_ name: String) -> AssociationKey { AssociationKey(name: name, isInflected: true) }
    package static func fixed(_ name: String) -> AssociationKey { AssociationKey(name: name, isInflected: false) }

    /// The name of one associated row: `book`.
    package var one: String { isInflected ? name.singularized : name }
    /// The name of many associated rows: `books`.
    package var many: String { isInflected ? name.pluralized : name }
    /// The name in those of aggregates: `bookCount`, for `books` too.
    package var singular: String { name.singularized }
}
