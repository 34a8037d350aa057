// The name of an association in rows, and in the names of its aggregates.

/// The key of an association: its name in the fetched rows.
package struct AssociationKey: Hashable, Sendable {
    /// What the name is.
    package enum Kind: Hashable, Sendable {
        /// The name of a table, which is inflected.
        case table
        /// The user's name of one row.
        case one
        /// The user's name of many rows.
        case many
        /// A name that is never inflected.
        case fixed
    }

    /// The name that the key is made from.
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

    /// The name in those of aggregates: `bookCount`, for `books` too.
    package var singular: String { name.singularized }
}
