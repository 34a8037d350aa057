// Messages from the compiler to a macro plugin: JSON messages, each preceded by its length.

/// The protocol version of this plugin.
///
/// Compilers accept plugins of older versions.
public let protocolVersion = 7

/// A message from the compiler.
public enum HostMessage: Equatable, Sendable {
    /// Requests the version of the plugin.
    case getCapability(compiler: Int)
    /// Requests the expansion of an attached macro.
    case expandAttached(AttachedExpansion)
    /// Requests the expansion of `#name(...)`.
    case expandFreestanding(FreestandingExpansion)
    /// Any other message.
    case unknown(name: String)
}

/// A piece of the source and its position. The compiler sends more than what is declared here.
public struct SourcePiece: Equatable, Sendable, Decodable {
    public struct Location: Equatable, Sendable, Decodable {
        public let fileName: String
        /// The number of bytes before it.
        public let offset: Int
        /// The line number, from 1.
        public let line: Int?
        /// The position of its first byte in the line, from 1.
        public let column: Int?

        public init(fileName: String, offset: Int, line: Int? = nil, column: Int? = nil) {
            (self.fileName, self.offset, self.line, self.column) = (fileName, offset, line, column)
        }
    }

    public let source: String
    public let location: Location

    /// The line and column of a byte of the source, from 1; nil if the compiler does not provide them.
    package func place(of offset: Int) -> (line: Int, column: Int)? {
        guard let line = location.line, let column = location.column else { return nil }
        let lines = source.utf8.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = lines.last?.count ?? 0
        return (line + lines.count - 1, lines.count == 1 ? column + last : last + 1)
    }
}

/// The module, the type and the name of a macro.
public struct MacroReference: Equatable, Sendable, Decodable {
    public let moduleName: String
    public let typeName: String
    public let name: String
}

/// An attribute to expand.
public struct AttachedExpansion: Equatable, Sendable, Decodable {
    public let macro: MacroReference
    public let declSyntax: SourcePiece
    /// The declarations around the attribute, without their members.
    public let lexicalContext: [SourcePiece]?
    /// For an extension: the extended type.
    public let extendedTypeSyntax: SourcePiece?
    /// For an extension: a declaration that inherits from the protocols to which the type does not conform yet.
    public let conformanceListSyntax: SourcePiece?
}

/// A `#name(...)` to expand.
public struct FreestandingExpansion: Equatable, Sendable, Decodable {
    public let macro: MacroReference
    public let syntax: SourcePiece
    /// The declarations around the expression, without their members, innermost first.
    public let lexicalContext: [SourcePiece]?
}

extension HostMessage: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Capability: Decodable {
        struct Content: Decodable { let protocolVersion: Int }
        let capability: Content?
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first else {
            self = .unknown(name: "")
            return
        }
        switch key.stringValue {
        case "getCapability":
            let capability = try container.decode(Capability.self, forKey: key)
            self = .getCapability(compiler: capability.capability?.protocolVersion ?? 0)
        case "expandAttachedMacro":
            self = .expandAttached(try container.decode(AttachedExpansion.self, forKey: key))
        case "expandFreestandingMacro":
            self = .expandFreestanding(try container.decode(FreestandingExpansion.self, forKey: key))
        case let name:
            self = .unknown(name: name)
        }
    }
}
