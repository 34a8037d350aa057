import Foundation

/// A second process that counts the places of a database on request.
public final class SecondReader {
    private let process = Process()
    private let questions = Pipe()
    private let answers = Pipe()
    private var unread = Data()

    /// Starts `places count --each-line`.
    public init(executable: URL, database: String) throws {
        process.executableURL = executable
        process.arguments = ["count", "--each-line", "--database", database]
        process.standardInput = questions
        process.standardOutput = answers
        try process.run()
    }

    /// Requests a count, and waits for the other process's response.
    public func count() throws -> Int {
        guard process.isRunning else { throw Failure.ended }
        try questions.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        guard let count = Int(try nextLine()) else { throw Failure.unclear }
        return count
    }

    /// Stops the other process, and throws if it has failed.
    public func stop() throws {
        try questions.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure.failed(process.terminationStatus) }
    }

    private func nextLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                return line
            }
            let more = answers.fileHandleForReading.availableData
            if more.isEmpty { throw Failure.ended }
            unread.append(more)
        }
    }

    public enum Failure: Error, CustomStringConvertible {
        case ended
        case unclear
        case failed(Int32)

        public var description: String {
            switch self {
            case .ended: "the second process ended too early"
            case .unclear: "the second process answered something that is not a number"
            case .failed(let code): "the second process failed with exit code \(code)"
            }
        }
    }
}
