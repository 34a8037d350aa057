// The messages of dqlite's protocol: the one place that lists them.
// Source: https://dqlite.io/docs/reference/wire-protocol

/// The requests that the driver and the commands of a node send, with the types of their responses.
enum RequestType: UInt8 {
    /// Response: `leader`.
    case leader = 0
    /// Response: `welcome`.
    case client = 1
    /// Response: `database`.
    case open = 3
    /// Response: `statement`.
    case prepare = 4
    /// Response: `result`.
    case exec = 5
    /// Responses: `rows`, up to the part with `isLast`.
    case query = 6
    /// Response: `empty`.
    case finalize = 7
    /// Response: `result`.
    case execSQL = 8
    /// Responses: `rows`, up to the part with `isLast`.
    case querySQL = 9
    /// Response: `empty`.
    case add = 12
    /// Response: `empty`.
    case assign = 13
    /// Response: `empty`.
    case remove = 14
    /// Response: `files`.
    case dump = 15
    /// Response: `nodes`.
    case cluster = 16
    /// Response: `empty`.
    case transfer = 17
    /// Response: `diskSpace`. The front of rowan-node answers it, not dqlite.
    case diskSpace = 240
    /// The requests that follow run only while none of them fails. Response: `empty`. The front of rowan-node answers it.
    case chain = 241
}

/// The responses of a node.
enum ResponseType: UInt8 {
    /// Takes the place of any other response.
    case failure = 0
    case leader = 1
    case welcome = 2
    case nodes = 3
    case database = 4
    case statement = 5
    case result = 6
    case rows = 7
    case empty = 8
    case files = 9
    case diskSpace = 240
}

/// The role of a node in its cluster.
public enum NodeRole: UInt64, Sendable, CaseIterable {
    /// It stores the data and votes: a majority of the voters has each commit.
    case voter = 0
    /// It stores the data and becomes a voter when one fails.
    case standby = 1
    /// It does not store data.
    case spare = 2
}
