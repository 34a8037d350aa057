// The name of an association in rows and in the names of its aggregates.

/// The key of an association: its name in the fetched rows.
package struct AssociationKey: Hashable, Sendable {
    /// The inflection of the name.
    package enum Kind: Hashable, Sendable {
        /// The name of a table: inflected.
        case table
        /// The user's name for one row.
        case one
        /// The user's name for many rows.
        case many
        /// A name that is never inflected.
        case fixed
    }

    /// The name that the key is derived from.
    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    package static func table(_ name: String) -> AssociationKey { AssociationKey(name, .table) }
    package static func fixed(_ name: String) -> AssociationKey { AssociationKey(name, .fixed) }

    /// The name of one associated row: `book`.
    package var one: String {
        switch kind {
        case .table, .many: name.singularized
        case .one, .fixed: name
        }
    }

    /// The name of many associated rows: `books`.
    package var many: String {
        switch kind {
        case .table, .one: name.pluralized
        case .many, .fixed: name
        }
    }

    /// The name in aggregates: `bookCount`, even if the key is `books`.
    package var singular: String { name.singularized }
}
