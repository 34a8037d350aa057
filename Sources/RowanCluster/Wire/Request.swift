// Requests without a database, each with the response that belongs to it.

import RowanPlatform

/// A request, and what its response contains.
struct Request<Value> {
    /// The maximum size of the response in bytes.
    var maximumBytes = 1 << 16
    fileprivate let write: (inout RequestBuffer) throws -> Void
    /// The contents; nil for a response of another type.
    fileprivate let read: (Response) -> Value?
}

/// The leader that a node reports. Without one, the address is empty.
package struct ReportedLeader: Hashable, Sendable {
    package let id: UInt64
    package let address: String
}

extension Request<ReportedLeader> {
    static var leader: Self {
        Request(write: { $0.leader() }, read: { if case .leader(let leader) = $0 { leader } else { nil } })
    }
}

extension Request<[Response.Node]> {
    /// The members of the cluster.
    static var members: Self {
        Request(write: { $0.cluster() }, read: { if case .nodes(let nodes) = $0 { nodes } else { nil } })
    }
}

extension Request<DiskSpace> {
    static var diskSpace: Self {
        Request(write: { $0.diskSpace() }, read: { if case .diskSpace(let space) = $0 { space } else { nil } })
    }
}

extension Request<[(name: String, contents: Data)]> {
    /// The files of a database.
    static func files(of name: String) -> Self {
        Request(
            maximumBytes: FrameBuffer.largestFrame, write: { try $0.dump(name: name) },
            read: { if case .files(let files) = $0 { files } else { nil } })
    }
}

extension Request<Void> {
    /// A change of the members or the leader.
    static func change(_ write: @escaping (inout RequestBuffer) throws -> Void) -> Self {
        Request(write: write, read: { if case .empty = $0 { () } else { nil } })
    }
}

extension NodeConnection {
    /// Sends a request and waits for its response. No other response may be outstanding.
    ///
    /// - Throws: a `NodeRefusal`; a `WireError`, after which the connection is no longer usable; ``DatabaseError`` if
    ///   the request can't be sent.
    func ask<Value>(_ request: Request<Value>, deadline: ContinuousClock.Instant) throws -> Value {
        try send(request, deadline: deadline)
        return try receive(request, deadline: deadline)
    }

    func send<Value>(_ request: Request<Value>, deadline: ContinuousClock.Instant) throws {
        var requests = RequestBuffer()
        try request.write(&requests)
        try send(requests, deadline: deadline, maximumBytes: request.maximumBytes)
    }

    func receive<Value>(_ request: Request<Value>, deadline: ContinuousClock.Instant) throws -> Value {
        let response = try receive(deadline: deadline, maximumBytes: request.maximumBytes)
        if case .failure(let refusal) = response { throw refusal }
        guard let value = request.read(response) else { throw WireError.unexpected(response) }
        return value
    }
}
