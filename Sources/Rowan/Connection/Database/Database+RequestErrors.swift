// Errors of the resolver, as errors for users.

extension Database {
    package func error(forNesting levels: Int) -> any Error {
        DatabaseError(message: RequestError.tooDeep(levels: levels).description)
    }
}
