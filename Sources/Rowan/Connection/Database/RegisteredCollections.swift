// Tables backed by the program's collections. They belong to a connection and are in no schema.

/// The lower-case names of a connection's collections.
package final class RegisteredCollections: ConnectionStateValue {
    package static var place: ConnectionState.Place { .init(0, .connection) }
    package var names: Set<String> = []

    package init() {}
}

extension Database {
    /// The collections registered on this connection.
    package var collections: RegisteredCollections { state.value(orMake: RegisteredCollections()) }
}
