// The places of each visitor, in a database per visitor: one can be exported or deleted whole.

import Foundation
import Hummingbird
import Logging
import RowanRecords
import RowanTenants

/// A place that a visitor has saved.
@Record("saved_place") struct SavedPlace: Codable, Equatable {
    @PrimaryKey var place: Int64
    var note: String
}

extension SavedPlace: ResponseEncodable {}

/// The databases of the visitors.
func visitorDirectory(folder: String, logger: Logger) throws -> DatabaseDirectory {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("saved places") { db in
        try db.create(table: "saved_place") { t in
            t.primaryKey("place", .integer)
            t.column("note", .text).notNull()
        }
    }
    return try DatabaseDirectory(
        folder: folder, migrator: migrator, limit: 200, createsMissing: true, waitTimeout: .seconds(5), logger: logger)
}

/// What a visitor reads and writes. A real server takes the name from a session, not from the address.
struct VisitorRoutes {
    let visitors: DatabaseDirectory

    func add(to router: Router<BasicRequestContext>) {
        router.get("visitors/:visitor/places") { _, context in
            try await visitors.read(name(context)) { db in try SavedPlace.fetchAll(db) }
        }
        router.put("visitors/:visitor/places/:place") { request, context in
            let place = try context.parameters.require("place", as: Int64.self)
            let note = String(buffer: try await request.body.collect(upTo: 10_000))
            try await visitors.write(name(context)) { db in try SavedPlace(place: place, note: note).upsert(db) }
            return HTTPResponse.Status.noContent
        }
        router.delete("visitors/:visitor") { _, context in
            do { try await visitors.delete(name(context)) } catch let error as DatabaseDirectoryError {
                throw HTTPError(error.code == .missing ? .notFound : .serviceUnavailable, message: error.message)
            }
            return HTTPResponse.Status.noContent
        }
    }

    private func name(_ context: BasicRequestContext) throws -> String {
        guard let name = try context.parameters.require("visitor").removingPercentEncoding, visitors.isValid(name)
        else { throw HTTPError(.badRequest, message: "the name is empty or too long") }
        return name
    }
}
