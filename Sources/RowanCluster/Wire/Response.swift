// The responses of nodes.

package import Foundation

/// A response of a node.
package enum Response {
    /// The request failed. The code is an SQLite or dqlite code.
    case failure(code: UInt64, message: String)
    /// The leader reported by the node. Without one, the address is empty.
    case leader(id: UInt64, address: String)
    /// - Parameter heartbeat: in milliseconds.
    case welcome(heartbeat: UInt64)
    case nodes([Node])
    case database(UInt32)
    case statement(database: UInt32, id: UInt32, parameterCount: Int)
    case result(lastInsertedRowID: Int64, changes: Int)
    case rows(RowsPart)
    case empty
    case files([(name: String, contents: Data)])
    case metadata(failureDomain: UInt64, weight: UInt64)

    /// A node of a cluster.
    package struct Node: Hashable, Sendable {
        package let id: UInt64
        package let address: String
        /// The role; nil for a role unknown to this version.
        package let role: NodeRole?
    }
}

extension Response {
    /// - Parameters:
    ///   - type: the type in the header of the frame.
    ///   - range: the bytes of the body.
    init(type: UInt8, _ memory: FrameMemory, _ range: Range<Int>) throws(WireError) {
        var reader = WireReader(memory.start, range)
        self =
            switch type {
            case 0: try reader.failure()
            case 1: .leader(id: try reader.word(), address: try reader.string())
            case 2: .welcome(heartbeat: try reader.word())
            case 3: .nodes(try reader.nodes())
            case 4: .database(UInt32(truncatingIfNeeded: try reader.word()))
            case 5: try reader.statement()
            case 6:
                .result(
                    lastInsertedRowID: Int64(bitPattern: try reader.word()),
                    changes: Int(truncatingIfNeeded: try reader.word()))
            case 7: .rows(try RowsPart(memory, range))
            case 8: .empty
            case 9: .files(try reader.files())
            case 10: .metadata(failureDomain: try reader.word(), weight: try reader.word())
            default: throw .malformed("it sent a response of the unknown type \(type)")
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
        return .failure(code: try word(), message: try string())
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
