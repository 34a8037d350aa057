// Expectations of errors, and of versions of SQLite.

import Rowan
import Testing

/// Whether the running SQLite has this version or a later one: 3_045_000 for 3.45.
func isSQLite(_ version: CInt) -> Bool { Database.sqliteLibVersionNumber >= version }

/// Expects an SQLite error with a primary or extended code.
@discardableResult
func expectError<T>(
    _ code: ResultCode, _ message: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> T
) -> DatabaseError? {
    check(code, message, Result { _ = try body() }, sourceLocation)
}

/// Expects an SQLite error with a primary or extended code.
@discardableResult
func expectError<T>(
    _ code: ResultCode, _ message: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> T
) async -> DatabaseError? {
    do {
        _ = try await body()
        return check(code, message, .success(()), sourceLocation)
    } catch {
        return check(code, message, .failure(error), sourceLocation)
    }
}

private func check(
    _ code: ResultCode, _ message: String?, _ result: Result<Void, any Error>, _ sourceLocation: SourceLocation
) -> DatabaseError? {
    switch result {
    case .success:
        Issue.record("expected an error \(code), got none", sourceLocation: sourceLocation)
        return nil
    case .failure(let error):
        guard let error = error as? DatabaseError else {
            Issue.record("expected an error \(code), got \(error)", sourceLocation: sourceLocation)
            return nil
        }
        #expect(code ~= error.extendedResultCode, "\(error)", sourceLocation: sourceLocation)
        if let message { #expect(error.message == message, sourceLocation: sourceLocation) }
        return error
    }
}

/// Expects a failed conversion, whose message contains the column, the value and the type.
@discardableResult
func expectDecodingError<T>(
    _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> RowDecodingError? {
    let error = #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation) { _ = try body() }
    for part in parts {
        #expect(
            error?.expandedDescription.contains(part) == true, "\(error?.expandedDescription ?? "")",
            sourceLocation: sourceLocation)
    }
    return error
}

/// The error thrown by closures in tests.
struct Refusal: Error, Equatable {}

/// Expects the error. A function, because of the note on closures in macros at ConnectionKind.
func expectRefusal(_ body: () throws -> Void) {
    do {
        try body()
        Issue.record("no error")
    } catch {
        #expect(error is Refusal, "\(error)")
    }
}

/// Expects an error that isn't an SQLite error.
func expectThrown<E: Error & Equatable>(
    _ expected: E, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("nothing is thrown instead of \(expected)", sourceLocation: sourceLocation)
    } catch {
        #expect(error as? E == expected, sourceLocation: sourceLocation)
    }
}

/// Expects an error that isn't an SQLite error.
func expectThrown<E: Error & Equatable>(
    _ expected: E, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing is thrown instead of \(expected)", sourceLocation: sourceLocation)
    } catch {
        #expect(error as? E == expected, sourceLocation: sourceLocation)
    }
}
