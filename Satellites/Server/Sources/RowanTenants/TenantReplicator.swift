// What else has the databases of a directory open.

/// A program that replicates the databases of a directory, such as Litestream, and has them open.
package protocol TenantReplicator: Sendable {
    /// Closes a database whose file is about to be removed from its place.
    ///
    /// - Returns: nil, or why it may still be open.
    func release(_ file: String) async -> String?

    /// Opens a database again, whose file has stayed.
    func resume(_ file: String) async
}
