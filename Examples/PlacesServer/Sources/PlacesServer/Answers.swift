// Responses to errors: those that a client can fix name the fields, others reveal nothing about the database.

import Foundation
import Hummingbird
import RowanRecords

/// The invalid fields of a request: status 422.
struct FieldErrors: Error, Encodable, Equatable {
    /// The problems, by field.
    var errors: [String: String]

    init(errors: [String: String]) { self.errors = errors }

    init?(_ error: DecodingError) {
        let (path, text): ([any CodingKey], String)
        switch error {
        case .keyNotFound(let key, let context): (path, text) = (context.codingPath + [key], "is missing")
        case .valueNotFound(_, let context): (path, text) = (context.codingPath, "must not be null")
        case .typeMismatch(_, let context): (path, text) = (context.codingPath, "has the wrong type")
        case .dataCorrupted(let context): (path, text) = (context.codingPath, "can't be read")
        @unknown default: return nil
        }
        // An error of the whole text doesn't belong to a field.
        guard let field = path.first?.stringValue else { return nil }
        errors = [field: text]
    }

    init?(_ error: DatabaseError) {
        guard error.constraint?.kind == .unique, let column = error.constraint?.columns.first else { return nil }
        errors = [column: "is taken"]
    }
}

extension FieldErrors: HTTPResponseError {
    var status: HTTPResponse.Status { .unprocessableContent }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try context.responseEncoder.encode(self, from: request, context: context)
        response.status = status
        return response
    }
}

/// Responds to errors of the database and of decoded requests.
struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is RecordError {
            throw HTTPError(.notFound)
        } catch let error as DecodingError {
            throw FieldErrors(error) ?? HTTPError(.badRequest, message: "the body is no JSON object")
        } catch let error as PageError {
            throw HTTPError(.badRequest, message: "\(error)")
        } catch let error as DatabaseError {
            if let fields = FieldErrors(error) { throw fields }
            // The server is busy or closing.
            if error.resultCode == .SQLITE_BUSY { throw HTTPError(.serviceUnavailable) }
            // Only the log contains the SQL, because clients must not see it.
            context.logger.error("\(String(reflecting: error))")
            throw HTTPError(.internalServerError)
        }
    }
}
