// The responses of a macro plugin.

/// A response to the compiler.
public enum PluginAnswer: Equatable, Sendable {
    case capability
    /// The expansion; nil if there is none because of errors.
    case expansion(String?, [PluginDiagnostic])
}

/// An error in the user's source.
public struct PluginDiagnostic: Equatable, Sendable, Encodable {
    public struct Position: Equatable, Sendable, Encodable {
        public let fileName: String
        public let offset: Int

        public init(fileName: String, offset: Int) {
            self.fileName = fileName
            self.offset = offset
        }
    }

    public struct Range: Equatable, Sendable, Encodable {
        public let fileName: String
        public let startOffset: Int
        public let endOffset: Int

        public init(fileName: String, startOffset: Int, endOffset: Int) {
            self.fileName = fileName
            self.startOffset = startOffset
            self.endOffset = endOffset
        }
    }

    public struct FixIt: Equatable, Sendable, Encodable {
        public struct Change: Equatable, Sendable, Encodable {
            public let range: Range
            public let newText: String
        }
        public let message: String
        public let changes: [Change]

        public init(message: String, replacing range: Range, with newText: String) {
            self.message = message
            changes = [Change(range: range, newText: newText)]
        }
    }

    public let message: String
    public let position: Position
    public let fixIts: [FixIt]
    // The protocol has other severities, which these errors don't need.
    private let severity = "error"
    private let highlights: [Range] = []
    private let notes: [String] = []

    public init(_ message: String, position: Position, fixIts: [FixIt] = []) {
        self.message = message
        self.position = position
        self.fixIts = fixIts
    }
}

extension PluginAnswer: Encodable {
    private struct CapabilityResult: Encodable {
        struct Result: Encodable {
            struct Capability: Encodable {
                let protocolVersion: Int
                let features: [String] = []
            }
            let capability: Capability
        }
        let getCapabilityResult: Result
    }

    private struct ExpansionResult: Encodable {
        struct Result: Encodable {
            let expandedSource: String?
            let diagnostics: [PluginDiagnostic]
        }
        let expandMacroResult: Result
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .capability:
            try CapabilityResult(
                getCapabilityResult: .init(capability: .init(protocolVersion: protocolVersion))
            ).encode(to: encoder)
        case .expansion(let source, let diagnostics):
            try ExpansionResult(expandMacroResult: .init(expandedSource: source, diagnostics: diagnostics))
                .encode(to: encoder)
        }
    }
}
