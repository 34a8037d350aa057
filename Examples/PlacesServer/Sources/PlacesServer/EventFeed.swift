// Changes as server-sent events. All clients share the fetches of one observation of the last changes: each commit is
// fetched once, however many clients are connected.
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html

import AsyncAlgorithms
import Foundation
import HTTPTypes
import Hummingbird
import RowanRecords
import ServiceLifecycle

struct EventFeed: Sendable {
    /// The number of changes that the log keeps.
    static let window = 1_000

    let database: any DatabaseWriter
    /// Proxies close silent connections.
    var heartbeat = Duration.seconds(15)

    /// The last changes, newest first.
    private static let changes = ValueObservation.tracking { db in
        try Change.order(\.revision.desc).limit(window).including(optional: Change.place)
            .asRequest(of: ChangedPlace.self).fetchAll(db)
    }

    private enum Signal: Sendable {
        case changes([ChangedPlace])
        case heartbeat
    }

    func add(to router: Router<BasicRequestContext>) { router.get("events", use: events) }

    /// GET /events
    @Sendable private func events(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let last = request.headers[.lastEventID].flatMap { Int64($0) }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // If the client disconnects, the loop is cancelled, which also stops its observation.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await write(since: last, to: &writer)
                }
                try await writer.finish(nil)
            })
    }

    private func write(since last: Int64?, to writer: inout any ResponseBodyWriter) async throws {
        var position = FeedPosition(last: last)
        // Each value contains everything that a client may have missed, so only the newest one is buffered for a slow
        // client.
        let changes = Self.changes.values(in: database, bufferingPolicy: .bufferingNewest(1)).map(Signal.changes)
        let beats = AsyncTimerSequence(interval: heartbeat, clock: .continuous).map { _ in Signal.heartbeat }
        // The loop also stops when the server shuts down.
        for try await signal in merge(changes, beats).cancelOnGracefulShutdown() {
            switch signal {
            case .heartbeat: try await writer.write(ByteBuffer(string: ": \n\n"))
            case .changes(let changes):
                let events = try position.events(of: changes)
                if !events.isEmpty { try await writer.write(ByteBuffer(string: events)) }
            }
        }
    }
}

/// The position of a client in the changes.
struct FeedPosition {
    /// The last revision sent to the client; nil for a new client.
    private(set) var last: Int64?

    init(last: Int64?) { self.last = last }

    /// The events that the client has not received.
    ///
    /// - Parameter changes: the last changes, newest first.
    mutating func events(of changes: [ChangedPlace]) throws -> String {
        let newest = changes.first?.change.revision ?? 0
        guard let last else {
            self.last = newest
            return "id: \(newest)\nevent: hello\ndata: {}\n\n"
        }
        defer { self.last = newest }
        // The log is too short or belongs to another database: the client must fetch everything again.
        let oldest = changes.last?.change.revision ?? 1
        guard last <= newest, last >= oldest - 1 else { return "id: \(newest)\nevent: reset\ndata: {}\n\n" }
        let unknown = changes.prefix { $0.change.revision > last }
        return try unknown.reversed().map(text).joined()
    }

    private func text(_ changed: ChangedPlace) throws -> String {
        let revision = changed.change.revision
        guard let place = changed.place else {
            return "id: \(revision)\nevent: delete\ndata: {\"id\":\(changed.change.placeID)}\n\n"
        }
        let data = String(decoding: try JSONEncoder().encode(place), as: UTF8.self)
        return "id: \(revision)\nevent: put\ndata: \(data)\n\n"
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
