import Hummingbird
import RowanRecords

extension City: ResponseEncodable {}

/// The routes of the server.
func router(_ database: some DatabaseWriter) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: DatabaseErrors())

    // GET /cities?from=100000
    router.get("cities") { request, _ in
        let minimum = request.uri.queryParameters.get("from", as: Int.self) ?? 0
        return try await database.read { db in
            try City.filter { $0.population >= minimum }.order(\.name).limit(100).fetchAll(db)
        }
    }

    // GET /cities/1
    router.get("cities/:id") { _, context in
        let id = try context.parameters.require("id", as: Int64.self)
        return try await database.read { db in try City.find(db, key: id) }
    }

    // POST /cities
    router.post("cities") { request, context in
        let new = try await request.decode(as: City.self, context: context)
        let city = try await database.write { db in try new.inserted(db) }
        return EditedResponse(status: .created, response: city)
    }

    // DELETE /cities/1
    router.delete("cities/:id") { _, context in
        let id = try context.parameters.require("id", as: Int64.self)
        let isDeleted = try await database.write { db in try City.deleteOne(db, key: id) }
        return isDeleted ? HTTPResponse.Status.noContent : .notFound
    }
    return router
}
