// The channel between the compiler and the plugin: messages on the standard streams, each preceded by its length in
// eight bytes, little endian.

public import Foundation

/// A channel of messages.
public struct MessageChannel {
    private let input: FileHandle
    private let output: FileHandle

    public init(input: FileHandle = .standardInput, output: FileHandle = .standardOutput) {
        self.input = input
        self.output = output
    }

    /// An error in the input.
    public enum ChannelError: Error, Equatable {
        /// The input ended inside a message.
        case endsInMessage
        /// The length of a message is implausible: the sender isn't the compiler.
        case absurdLength(UInt64)
    }

    private static let longestMessage: UInt64 = 1 << 30

    /// The bytes of the next message; nil at the end.
    public func next() throws -> Data? {
        let header = try read(8)
        if header.isEmpty { return nil }
        guard header.count == 8 else { throw ChannelError.endsInMessage }
        let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= Self.longestMessage else { throw ChannelError.absurdLength(length) }
        let body = try read(Int(length))
        guard body.count == Int(length) else { throw ChannelError.endsInMessage }
        return body
    }

    private func read(_ count: Int) throws -> Data {
        var data = Data()
        while data.count < count {
            guard let part = try input.read(upToCount: count - data.count), !part.isEmpty else { break }
            data += part
        }
        return data
    }

    /// Sends a response.
    public func send(_ answer: PluginAnswer) throws {
        let body = try JSONEncoder().encode(answer)
        let header = withUnsafeBytes(of: UInt64(body.count).littleEndian) { Data($0) }
        try output.write(contentsOf: header + body)
    }

    /// Responds to messages until the end of the input.
    public func run(_ answer: (HostMessage) -> PluginAnswer) throws {
        // The version that the compiler has announced.
        var compiler: Int?
        while let body = try next() {
            let message: HostMessage
            do { message = try JSONDecoder().decode(HostMessage.self, from: body) } catch {
                try send(.notUnderstood("a message that this plugin can't read (\(error))", compiler))
                continue
            }
            switch message {
            case .getCapability(let version):
                compiler = version
                try send(.capability)
            case .unknown(let name): try send(.notUnderstood("the message '\(name)'", compiler))
            case .expandAttached, .expandFreestanding: try send(answer(message))
            }
        }
    }
}

extension PluginAnswer {
    fileprivate static func notUnderstood(_ what: String, _ compiler: Int?) -> PluginAnswer {
        let version = compiler.map { "version \($0)" } ?? "an unknown version"
        return .expansion(
            nil,
            [
                PluginDiagnostic(
                    "the compiler sent \(what) and speaks \(version) of the plugin protocol, but Rowan's macros speak "
                        + "version \(protocolVersion): use a release of Rowan that is made for this compiler",
                    position: .init(fileName: "", offset: 0))
            ])
    }
}
