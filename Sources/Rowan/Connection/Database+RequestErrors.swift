// What the resolver refuses, as errors that users catch.

extension Database {
    package func error(forNesting levels: Int) -> any Error {
        DatabaseError(message: RequestError.tooDeep(levels: levels).description)
    }
}
