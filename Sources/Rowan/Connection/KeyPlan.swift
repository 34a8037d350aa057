// What a connection keeps of a fetch by primary key.

/// The prepared fetch by primary key of a record type.
package final class KeyPlan {
    package let statement: Statement
    /// The column of the key, for records that store keys in their own way.
    package let column: String
    /// Whether the key is the only argument: a selection may have others.
    package let isKeyAlone: Bool
    package let epoch: Int

    package init(statement: Statement, column: String, isKeyAlone: Bool, epoch: Int) {
        self.statement = statement
        self.column = column
        self.isKeyAlone = isKeyAlone
        self.epoch = epoch
    }
}
