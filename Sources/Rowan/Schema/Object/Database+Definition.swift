// Statements that define the schema. They use the common renderer and accept no arguments.

extension Database {
    /// Runs one statement that accepts no arguments. Values are literals.
    func executeDefinition(_ write: (inout Renderer) -> Void, edited edit: (String) -> String = { $0 }) throws {
        var renderer = Renderer(values: .literal)
        write(&renderer)
        let arguments: StatementArguments
        do { arguments = try renderer.statementArguments() } catch let error as RequestError {
            throw DatabaseError(message: error.description)
        }
        let refusal = arguments.values.lazy.compactMap(\.bindingRefusal).first
        if let error = refusal.flatMap({ DatabaseError.unstorable($0, "a value", sql: renderer.text) }) { throw error }
        guard arguments.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "definitions in the schema accept no arguments: use \\(value) in a literal",
                sql: renderer.text)
        }
        try makeStatement(sql: edit(renderer.text)).execute()
    }
}
