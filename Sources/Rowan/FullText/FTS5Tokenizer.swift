// Tokenizers of FTS5, in C or in Swift. https://sqlite.org/fts5.html#custom_tokenizers

/// The function that receives each token: a context, the flags of the token, its bytes and their number, and the start
/// and end of the token in the text.
public typealias FTS5TokenCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?, _ nToken: CInt,
        _ iStart: CInt, _ iEnd: CInt
    ) -> CInt

/// The reason why FTS5 needs tokens.
public struct FTS5Tokenization: OptionSet, Hashable, Sendable {
    /// The flags of the C API.
    public let rawValue: CInt
    /// Creates a reason from the flags of the C API.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// `FTS5_TOKENIZE_QUERY`: the text is a pattern.
    public static let query = FTS5Tokenization(rawValue: 0x01)
    /// `FTS5_TOKENIZE_PREFIX`: the last token of the pattern is a prefix.
    public static let prefix = FTS5Tokenization(rawValue: 0x02)
    /// `FTS5_TOKENIZE_DOCUMENT`: the text is a document that is inserted or deleted.
    public static let document = FTS5Tokenization(rawValue: 0x04)
    /// `FTS5_TOKENIZE_AUX`: an auxiliary function needs the tokens of a document.
    public static let aux = FTS5Tokenization(rawValue: 0x08)
}

/// The flags of a token.
public struct FTS5TokenFlags: OptionSet, Hashable, Sendable {
    /// The flags of the C API.
    public let rawValue: CInt
    /// Creates flags from those of the C API.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// `FTS5_TOKEN_COLOCATED`: the token has the position of the previous one, as a synonym.
    public static let colocated = FTS5TokenFlags(rawValue: 0x01)
}

/// A tokenizer of FTS5.
///
/// ``Database/makeTokenizer(_:)`` creates the built-in tokenizers. To write your own, use ``FTS5WrapperTokenizer``, or
/// ``FTS5CustomTokenizer`` at the level of the C API.
///
/// Source: <https://sqlite.org/fts5.html#custom_tokenizers>
public protocol FTS5Tokenizer: AnyObject {
    /// Calls a function for each token of a text.
    ///
    /// - Parameters:
    ///   - context: the first argument of the function.
    ///   - tokenization: the reason why FTS5 needs tokens.
    ///   - pText: the bytes of the text, in UTF-8, not always followed by a NUL.
    ///   - nText: the number of bytes.
    ///   - tokenCallback: the function. If it returns a code other than `SQLITE_OK`, the tokenizer returns that code
    ///     immediately.
    /// - Returns: `SQLITE_OK`, or an error code.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt
}

extension FTS5Tokenizer {
    /// The tokens of a document.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.unicode61())
    /// for (token, flags) in try tokenizer.tokenize(document: "SQLite database") {
    ///     print(token)  // "sqlite", then "database"
    /// }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` with the code that the tokenizer returns.
    public func tokenize(document string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, for: .document).map { ($0.token, $0.flags) }
    }

    /// The tokens of a pattern, which may differ from those of a document.
    ///
    /// - Throws: a ``DatabaseError`` with the code that the tokenizer returns.
    public func tokenize(query string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: string, for: .query).map { ($0.token, $0.flags) }
    }

    /// Complexity: the length of the text.
    func tokens(of text: String, for tokenization: FTS5Tokenization) throws -> [FTS5Token] {
        var tokens: [FTS5Token] = []
        let code = try text.withBytes { bytes in
            guard let count = CInt(exactly: bytes.count) else { throw DatabaseError(resultCode: .SQLITE_TOOBIG) }
            return bytes.withMemoryRebound(to: CChar.self) { characters in
                withUnsafeMutablePointer(to: &tokens) { tokens in
                    tokenize(
                        context: tokens, tokenization: tokenization, pText: characters.baseAddress, nText: count,
                        tokenCallback: { context, flags, token, count, start, end in
                            // Invariant: the context is the array above, which outlives the call.
                            context!.assumingMemoryBound(to: [FTS5Token].self).pointee.append(
                                FTS5Token(flags, token, count, start..<max(start, end)))
                            return ResultCode.SQLITE_OK.rawValue
                        })
                }
            }
        }
        let result = ResultCode(rawValue: code)
        guard result == .SQLITE_OK else {
            throw DatabaseError(resultCode: result, message: "the tokenizer failed: \(result)")
        }
        return tokens
    }
}

/// A token, and the bytes of the text that it represents.
struct FTS5Token {
    let token: String
    let flags: FTS5TokenFlags
    let range: Range<CInt>

    init(_ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt, _ range: Range<CInt>) {
        self.token = String(fts5Bytes: token, count: count)
        self.flags = FTS5TokenFlags(rawValue: flags)
        self.range = range
    }
}

extension String {
    /// The text of bytes that FTS5 provides. Invalid UTF-8 is repaired.
    init(fts5Bytes bytes: UnsafePointer<CChar>?, count: CInt) {
        self.init(decoding: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)), as: UTF8.self)
    }
}

extension Database {
    /// Creates a tokenizer: a built-in one, or one that was added with ``add(tokenizer:)``.
    ///
    /// ```swift
    /// let ascii = try db.makeTokenizer(.ascii())
    /// ```
    ///
    /// - Throws: SQLITE_ERROR for an unknown tokenizer, or if SQLite was built without FTS5; an error of the
    ///   tokenizer's initializer.
    public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        try KnownFTS5Tokenizer(
            connection.makeFTS5Tokenizer(descriptor.name, arguments: Array(descriptor.components.dropFirst())))
    }
}

/// A tokenizer that is registered with a connection.
private final class KnownFTS5Tokenizer: FTS5Tokenizer {
    private let instance: FTS5TokenizerInstance

    init(_ instance: FTS5TokenizerInstance) { self.instance = instance }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        instance.tokenize(context, tokenization.rawValue, pText, nText, tokenCallback)
    }
}
