// Values whose stored form a record type can choose. The stored form is determined once the column is known.

package import RowanPlatform

/// A date, data or identifier before its record type chooses how to store it.
package struct StorableValue: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case date(Date)
        case data(Data)
        case uuid(UUID)
    }

    package let content: Content
    /// The stored form unless a record type chooses another.
    package let databaseValue: DatabaseValue

    package init(_ content: Content, databaseValue: DatabaseValue) {
        self.content = content
        self.databaseValue = databaseValue
    }
}
