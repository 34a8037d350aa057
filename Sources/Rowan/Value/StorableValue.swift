// Values of the types that records store in a way of their own choice: the stored value is known when the column is.

package import Foundation

/// A date, data or identifier, before a record type says how it stores it.
package struct StorableValue: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case date(Date)
        case data(Data)
        case uuid(UUID)
    }

    package let content: Content
    /// What is stored where no record type has a say.
    package let databaseValue: DatabaseValue

    package init(_ content: Content, databaseValue: DatabaseValue) {
        self.content = content
        self.databaseValue = databaseValue
    }
}
