// Requests for the rows associated with a record.

/// The origin of a request for the associated rows of a record.
package struct RecordLink: Hashable, Sendable {
    package var path: AssociationPath
    package var origin: Source
    package var values: RecordValues

    package init(path: AssociationPath, origin: Source, values: RecordValues) {
        self.path = path
        self.origin = origin
        self.values = values
    }
}

/// The values that a record stores, or its encoding error.
package final class RecordValues: Hashable, Sendable {
    package let values: Result<[String: DatabaseValue], any Error>

    package init(_ values: Result<[String: DatabaseValue], any Error>) { self.values = values }

    package static func == (lhs: RecordValues, rhs: RecordValues) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
