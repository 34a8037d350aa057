import Hummingbird
import RowanRecords

/// Answers errors of the database: those that the client can mend tell what is wrong, the others do not.
struct DatabaseErrors<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch RecordError.recordNotFound {
            throw HTTPError(.notFound)
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            case .SQLITE_CONSTRAINT_UNIQUE: throw HTTPError(.conflict, message: "this name is taken")
            case .SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_NOTNULL:
                throw HTTPError(.badRequest, message: error.message ?? "a value is not allowed")
            default:
                // The SQL is for the log, and not for clients.
                context.logger.error("\(error)")
                throw HTTPError(.internalServerError)
            }
        }
    }
}
