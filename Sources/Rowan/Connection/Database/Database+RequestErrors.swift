// Errors of the resolver as user-facing errors.

extension Database {
    package func error(forNesting levels: Int) -> any Error {
        DatabaseError(message: RequestError.tooDeep(levels: levels).description)
    }
}
