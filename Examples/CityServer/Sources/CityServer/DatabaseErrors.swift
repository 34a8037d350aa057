import Hummingbird
import RowanRecords

/// Responds to database errors: those that the client can fix describe the problem, others don't.
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
                // Only the log contains the SQL, because clients must not see it.
                context.logger.error("\(error)")
                throw HTTPError(.internalServerError)
            }
        }
    }
}
