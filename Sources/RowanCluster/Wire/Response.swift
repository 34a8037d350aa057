// The responses of nodes.

package import RowanPlatform

/// A response of a node.
package enum Response {
    case failure(NodeRefusal)
    case leader(ReportedLeader)
    /// - Parameter heartbeat: in milliseconds.
    case welcome(heartbeat: UInt64)
    case nodes([Node])
    case database(UInt32)
    case statement(database: UInt32, id: UInt32, parameterCount: Int)
    case result(RowCounts)
    case rows(RowsPart)
    case empty
    case files([(name: String, contents: Data)])
    case diskSpace(DiskSpace)

    /// A node of a cluster.
    package struct Node: Hashable, Sendable {
        package let id: UInt64
        package let address: String
        /// The role; nil for a role unknown to this version.
        package let role: NodeRole?
    }
}

/// What a statement has changed.
package struct RowCounts: Hashable, Sendable {
    package let lastInsertedRowID: Int64
    package let changes: Int
}

extension Response {
    var type: ResponseType {
        switch self {
        case .failure: .failure
        case .leader: .leader
        case .welcome: .welcome
        case .nodes: .nodes
        case .database: .database
        case .statement: .statement
        case .result: .result
        case .rows: .rows
        case .empty: .empty
        case .files: .files
        case .diskSpace: .diskSpace
        }
    }

    /// - Parameters:
    ///   - type: the type in the header of the frame.
    ///   - range: the bytes of the body.
    init(type: UInt8, _ memory: FrameMemory, _ range: Range<Int>) throws(WireError) {
        guard let known = ResponseType(rawValue: type) else {
            throw .malformed("it sent a response of the unknown type \(type)")
        }
        var reader = WireReader(memory.start, range)
        self =
            switch known {
            case .failure: try reader.failure()
            case .leader: .leader(ReportedLeader(id: try reader.word(), address: try reader.string()))
            case .welcome: .welcome(heartbeat: try reader.word())
            case .nodes: .nodes(try reader.nodes())
            case .database: .database(UInt32(truncatingIfNeeded: try reader.word()))
            case .statement: try reader.statement()
            case .result:
                .result(
                    RowCounts(
                        lastInsertedRowID: Int64(bitPattern: try reader.word()),
                        changes: Int(truncatingIfNeeded: try reader.word())))
            case .rows: .rows(try RowsPart(memory, range))
            case .empty: .empty
            case .files: .files(try reader.files())
            case .diskSpace: .diskSpace(DiskSpace(available: try reader.word(), reserve: try reader.word()))
            }
        withExtendedLifetime(memory) {}
    }
}

extension WireReader {
    /// The last fields of the body: the code and the message.
    ///
    /// If a step of a query fails, a node sends the failure after the columns and rows that it has encoded, all in the
    /// frame of the failure. The fields are therefore found from the end: in text, only the last word contains a zero
    /// byte, and each code contains one.
    fileprivate mutating func failure() throws(WireError) -> Response {
        var messageWords = 1
        while messageWords < wordCount, !hasZeroByte(atWord: wordCount - 1 - messageWords) { messageWords += 1 }
        guard messageWords < wordCount else { throw Self.truncated }
        try skip(words: wordCount - 1 - messageWords)
        return .failure(NodeRefusal(code: try word(), message: try string()))
    }

    fileprivate mutating func statement() throws(WireError) -> Response {
        let ids = try word()
        guard let parameterCount = Int(exactly: try word()) else {
            throw .malformed("a statement has too many parameters")
        }
        return .statement(
            database: UInt32(truncatingIfNeeded: ids), id: UInt32(truncatingIfNeeded: ids >> 32),
            parameterCount: parameterCount)
    }

    fileprivate mutating func nodes() throws(WireError) -> [Response.Node] {
        var nodes: [Response.Node] = []
        for _ in 0..<(try count(ofSize: 3)) {
            nodes.append(
                Response.Node(id: try word(), address: try string(), role: NodeRole(rawValue: try word())))
        }
        return nodes
    }

    fileprivate mutating func files() throws(WireError) -> [(name: String, contents: Data)] {
        var files: [(name: String, contents: Data)] = []
        for _ in 0..<(try count(ofSize: 2)) {
            files.append((try string(), Data(try blob())))
        }
        return files
    }
}
