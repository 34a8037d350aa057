// Tokenizers in Swift that change the tokens of another tokenizer.

/// The function that a wrapper tokenizer calls with each of its tokens.
public typealias FTS5WrapperTokenCallback = (_ token: String, _ flags: FTS5TokenFlags) throws -> Void

/// A tokenizer in Swift that changes the tokens of another tokenizer.
///
/// ```swift
/// /// "1st" matches "first".
/// final class SynonymTokenizer: FTS5WrapperTokenizer {
///     static let name = "synonyms"
///     let wrappedTokenizer: any FTS5Tokenizer
///
///     init(db: Database, arguments: [String]) throws {
///         wrappedTokenizer = try db.makeTokenizer(.unicode61())
///     }
///
///     func accept(
///         token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///         tokenCallback: FTS5WrapperTokenCallback
///     ) throws {
///         try tokenCallback(token, flags)
///         if token == "1st", tokenization.contains(.document) {
///             try tokenCallback("first", flags.union(.colocated))
///         }
///     }
/// }
/// ```
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
    /// The tokenizer that splits the text.
    var wrappedTokenizer: any FTS5Tokenizer { get }

    /// Receives a token and calls the function with any number of tokens in its place: none for a stop word, several
    /// for synonyms.
    ///
    /// Pass the flags on. Synonyms, except the first one, add ``FTS5TokenFlags/colocated``. Don't catch the errors of
    /// the function.
    ///
    /// - Throws: an error that makes the statement fail. The statement's error keeps the code of a ``DatabaseError``,
    ///   but not the message, which is sent to ``Database/logError``.
    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws
}

extension FTS5WrapperTokenizer {
    /// Calls ``accept(token:flags:for:tokenCallback:)`` for each token of the wrapped tokenizer.
    public func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        var pass = WrapperPass(
            tokenizer: self, tokenization: tokenization, context: context, tokenCallback: tokenCallback)
        return withUnsafeMutablePointer(to: &pass) { pass in
            wrappedTokenizer.tokenize(
                context: pass, tokenization: tokenization, pText: pText, nText: nText,
                tokenCallback: { context, flags, token, count, start, end in
                    // Invariant: the context is the pass above, which outlives the call.
                    context!.assumingMemoryBound(to: WrapperPass.self).pointee
                        .accept(FTS5Token(flags, token, count, start..<max(start, end)))
                })
        }
    }
}

/// The tokenization of a text by a wrapper.
private struct WrapperPass {
    let tokenizer: any FTS5WrapperTokenizer
    let tokenization: FTS5Tokenization
    let context: UnsafeMutableRawPointer?
    let tokenCallback: FTS5TokenCallback

    /// - Returns: the code of the first error, even if the tokenizer catches it.
    func accept(_ token: FTS5Token) -> CInt {
        var code = ResultCode.SQLITE_OK
        do {
            try tokenizer.accept(token: token.token, flags: token.flags, for: tokenization) { text, flags in
                guard !text.utf8.contains(0) else {
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE, message: "a token contains a NUL character: remove it")
                }
                if code == .SQLITE_OK { code = send(text, flags, token.range) }
                guard code == .SQLITE_OK else { throw DatabaseError(resultCode: code) }
            }
        } catch {
            if code == .SQLITE_OK { code = LocalConnection.fts5Code(of: error) }
        }
        return code.rawValue
    }

    private func send(_ text: String, _ flags: FTS5TokenFlags, _ range: Range<CInt>) -> ResultCode {
        return text.withBytes { bytes in
            guard let count = CInt(exactly: bytes.count) else { return .SQLITE_TOOBIG }
            return bytes.withMemoryRebound(to: CChar.self) {
                ResultCode(
                    rawValue: tokenCallback(
                        context, flags.rawValue, $0.baseAddress, count, range.lowerBound, range.upperBound))
            }
        }
    }
}
