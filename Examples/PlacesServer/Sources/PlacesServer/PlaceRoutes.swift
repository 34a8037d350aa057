// The places as JSON. Writes specify the version that they replace, so that no unseen version is overwritten.

import Foundation
import Hummingbird
import RowanJobs
import RowanRecords

struct PlaceRoutes: Sendable {
    let database: any DatabaseWriter
    let jobs: Jobs

    private static let order = Place.order(\.population.desc)

    /// A page of places.
    struct PlacePage: ResponseEncodable {
        let places: [Place]
        /// The parameter `after` of the next page.
        let next: String?
    }

    func add(to router: Router<BasicRequestContext>) {
        let places = router.group("places")
        places.get(use: list)
        places.get("search", use: search)
        places.get(":id", use: find)
        places.post(use: create)
        places.put(":id", use: replace)
        places.delete(":id", use: delete)
    }

    /// GET /places?size=50&after=TOKEN
    @Sendable private func list(_ request: Request, _ context: BasicRequestContext) async throws -> PlacePage {
        let size = try size(of: request)
        let token = try request.uri.queryParameters.get("after").map { text in
            guard let token = PageToken(text) else { throw PageError.malformedToken }
            return token
        }
        let page = try await database.read { db in try Self.order.page(after: token, size: size).fetch(db) }
        return PlacePage(places: page.elements, next: page.next.map(\.description))
    }

    /// GET /places/search?q=new%20yo
    @Sendable private func search(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let size = try size(of: request)
        let pattern = request.uri.queryParameters.get("q").flatMap { FTS5Pattern(matchingAllPrefixesIn: $0) }
        guard let pattern else { throw FieldErrors(errors: ["q": "must contain a word"]) }
        let places = SQLRequest<Place>(
            sql: """
                SELECT place.* FROM placeText JOIN place ON place.id = placeText.rowid
                WHERE placeText MATCH ? ORDER BY rank, population DESC LIMIT ?
                """, arguments: [pattern, size])
        // The rows are written as JSON without decoding records.
        let json = try await database.read { db in try places.json(db) }
        return Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    private func size(of request: Request) throws -> Int {
        guard let text = request.uri.queryParameters.get("size") else { return 50 }
        guard let size = Int(text), (1...500).contains(size) else {
            throw FieldErrors(errors: ["size": "must be between 1 and 500"])
        }
        return size
    }

    /// GET /places/1
    @Sendable private func find(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try id(of: context)
        let place = try findNow(id)
        if request.headers[.ifNoneMatch].map({ matches($0, place, isWeak: true) }) == true {
            return Response(status: .notModified, headers: [.eTag: place.entityTag])
        }
        return try answer(place, .ok, request, context)
    }

    /// Finds a row by its key on the current thread, because this takes some microseconds, less than switching threads.
    private func findNow(_ id: Int64) throws -> Place { try database.read { db in try Place.find(db, key: id) } }

    /// POST /places
    @Sendable private func create(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let input = try await input(of: request, context)
        let place = try await database.write { db in
            let place = try input.place().inserted(db)
            // The job is stored with the place, or not at all. One that waits counts this place, too.
            try jobs.enqueue(CountCountry(code: place.country), .unique(by: place.country), in: db)
            return place
        }
        var response = try answer(place, .created, request, context)
        response.headers[.location] = "/places/\(place.id ?? 0)"
        return response
    }

    /// PUT /places/1, with If-Match
    @Sendable private func replace(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try id(of: context)
        let input = try await input(of: request, context)
        let place = try await database.write { db in
            let old = try known(id, request, db)
            let new = input.place(id: id, version: old.version + 1)
            try new.update(db)
            for code in Set([old.country, new.country]) {
                try jobs.enqueue(CountCountry(code: code), .unique(by: code), in: db)
            }
            return new
        }
        return try answer(place, .ok, request, context)
    }

    /// DELETE /places/1, with If-Match
    @Sendable private func delete(
        _ request: Request, _ context: BasicRequestContext
    ) async throws -> HTTPResponse.Status {
        let id = try id(of: context)
        try await database.write { db in
            let place = try known(id, request, db)
            _ = try place.delete(db)
            try jobs.enqueue(CountCountry(code: place.country), .unique(by: place.country), in: db)
        }
        return .noContent
    }

    // MARK: Parts

    /// The place that a request replaces.
    ///
    /// - Throws: status 428 without a version, 412 if the client's version is not the current one.
    private func known(_ id: Int64, _ request: Request, _ db: Database) throws -> Place {
        guard let tags = request.headers[.ifMatch] else {
            throw HTTPError(.preconditionRequired, message: "send If-Match with the ETag that you have")
        }
        let place = try Place.find(db, key: id)
        guard matches(tags, place) else { throw HTTPError(.preconditionFailed, message: "the place has changed") }
        return place
    }

    /// - Parameter isWeak: whether weak tags match, which is the case for reads but not for writes.
    private func matches(_ tags: String, _ place: Place, isWeak: Bool = false) -> Bool {
        tags.split(separator: ",").contains { tag in
            let tag = tag.trimmingCharacters(in: .whitespaces)
            return tag == "*" || tag == place.entityTag || isWeak && tag == "W/\(place.entityTag)"
        }
    }

    private func id(of context: BasicRequestContext) throws -> Int64 {
        try context.parameters.require("id", as: Int64.self)
    }

    private func input(of request: Request, _ context: BasicRequestContext) async throws -> PlaceInput {
        let buffer = try await request.body.collect(upTo: 64 << 10)
        let input = try JSONDecoder().decode(PlaceInput.self, from: Data(buffer.readableBytesView))
        try input.validate()
        return input
    }

    private func answer(
        _ place: Place, _ status: HTTPResponse.Status, _ request: Request, _ context: BasicRequestContext
    ) throws -> Response {
        var response = try place.response(from: request, context: context)
        response.status = status
        response.headers[.eTag] = place.entityTag
        return response
    }
}
