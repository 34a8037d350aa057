// The tables that serve collections of the program. They belong to a connection, and are in no schema.

/// The names of the collections that a connection serves, in lower case.
package final class RegisteredCollections: ConnectionStateValue {
    package static var place: ConnectionState.Place { .init(0, .connection) }
    package var names: Set<String> = []

    package init() {}
}

extension Database {
    /// The collections that this connection serves.
    package var collections: RegisteredCollections { state.value(orMake: RegisteredCollections()) }
}
