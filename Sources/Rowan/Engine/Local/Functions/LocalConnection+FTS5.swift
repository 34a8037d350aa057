// FTS5 tokenizers. SQLite keeps a retained box for each registered tokenizer, and another for each instance.
// Source: https://sqlite.org/fts5.html#extending_fts5

package import RowanSQLite
import RowanPlatform

/// The function that receives tokens: a context, flags, bytes and their count, the start and end in the text.
package typealias FTS5TokenFunction =
    @convention(c) (UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, CInt, CInt) -> CInt

/// Calls a function for each token of a text: a context for the function, flags, the text and its size.
package typealias FTS5TokenizeFunction = (
    UnsafeMutableRawPointer?, _ flags: CInt, UnsafePointer<CChar>?, _ count: CInt, @escaping FTS5TokenFunction
) -> CInt

extension LocalConnection {
    /// The C API of FTS5 on this connection.
    ///
    /// - Throws: SQLITE_ERROR if SQLite was built without FTS5.
    package func fts5API() throws -> UnsafeMutablePointer<fts5_api> {
        let connection = try openPointer()
        let hooks = try openHooks()
        var api: UnsafeMutablePointer<fts5_api>?
        hooks.silently {
            var statement: SQLiteStatement?
            // FTS5 may request a tokenizer while a statement is compiled: that statement has its own profile.
            let code = hooks.recordingProfile(refusingPragmas: false) {
                sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil)
            }
            defer { sqlite3_finalize(statement) }
            guard code.result == SQLITE_OK else { return }
            // SQLite keeps the pointer to the type's name.
            let type: StaticString = "fts5_api_ptr"
            withUnsafeMutablePointer(to: &api) { pointer in
                _ = type.utf8Start.withMemoryRebound(to: CChar.self, capacity: type.utf8CodeUnitCount + 1) {
                    sqlite3_bind_pointer(statement, 1, pointer, $0, nil)
                }
                _ = sqlite3_step(statement)
            }
        }
        guard let api else {
            throw DatabaseError(message: "this SQLite has no FTS5: use one that was built with SQLITE_ENABLE_FTS5")
        }
        return api
    }

    /// Creates an instance of a tokenizer registered with this connection.
    ///
    /// - Throws: SQLITE_ERROR for an unknown tokenizer; the error of a tokenizer written in Swift.
    package func makeFTS5Tokenizer(_ name: String, arguments: [String]) throws -> FTS5TokenizerInstance {
        guard !name.utf8.contains(0), arguments.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw DatabaseError(message: "the FTS5 tokenizer \(name) has a NUL character in its name or arguments")
        }
        let api = try fts5API()
        var module = fts5_tokenizer()
        var context: UnsafeMutableRawPointer?
        guard api.pointee.xFindTokenizer(api, name, &context, &module) == SQLITE_OK else {
            let message = "no such tokenizer: \(name)"
            throw refusal(explaining: message) ?? DatabaseError(message: message)
        }
        var tokenizer: OpaquePointer?
        var copies: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
        let code = module.xCreate(context, &copies, CInt(copies.count), &tokenizer)
        if code == SQLITE_OK, let tokenizer { return FTS5TokenizerInstance(module, tokenizer) }
        if let error = FTS5TokenizerFactory.takeError(of: module, context) { throw error }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code == SQLITE_OK ? SQLITE_ERROR : code),
            message: "error in tokenizer constructor: \(([name] + arguments).joined(separator: " "))")
    }

    /// Adds a tokenizer written in Swift.
    package func addFTS5Tokenizer(
        _ name: String, _ make: @escaping ([String]) throws -> FTS5TokenizeFunction
    ) throws {
        let api = try fts5API()
        let factory = Unmanaged.passRetained(FTS5TokenizerFactory(make, hooks: try openHooks()))
        var module = FTS5TokenizerFactory.module
        let code = api.pointee.xCreateTokenizer(
            api, name, factory.toOpaque(), &module,
            { Unmanaged<FTS5TokenizerFactory>.fromOpaque($0!).release() })
        guard code != SQLITE_OK else { return }
        factory.release()
        throw error(code)
    }

    /// The code that a failed tokenizer returns to SQLite. SQLite keeps no message, so the error log receives it.
    package static func fts5Code(of error: any Error) -> ResultCode {
        var code = ResultCode.SQLITE_ERROR
        if let error = error as? DatabaseError {
            switch error.resultCode {
            // SQLite would treat a success code as success.
            case .SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE: break
            default: code = error.extendedResultCode
            }
        }
        rowan_log(code.rawValue, "an FTS5 tokenizer failed: \(error)")
        return code
    }
}

/// A tokenizer instance, which may outlive its connection.
package final class FTS5TokenizerInstance {
    private let module: fts5_tokenizer
    private let tokenizer: OpaquePointer

    fileprivate init(_ module: fts5_tokenizer, _ tokenizer: OpaquePointer) {
        self.module = module
        self.tokenizer = tokenizer
    }

    deinit { module.xDelete(tokenizer) }

    /// Calls a function for each token of a text.
    package func tokenize(
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ text: UnsafePointer<CChar>?, _ count: CInt,
        _ token: @escaping FTS5TokenFunction
    ) -> CInt {
        module.xTokenize(tokenizer, context, flags, text, count, token)
    }
}

/// A tokenizer written in Swift, as registered with SQLite.
private final class FTS5TokenizerFactory {
    private let make: ([String]) throws -> FTS5TokenizeFunction
    // The connection keeps its hooks while it is open and calls no tokenizer afterwards.
    fileprivate unowned let hooks: ConnectionHooks
    /// The last error of `make`, of which SQLite keeps only the code.
    private var error: (any Error)?

    init(_ make: @escaping ([String]) throws -> FTS5TokenizeFunction, hooks: ConnectionHooks) {
        self.make = make
        self.hooks = hooks
    }

    func makeInstance(_ arguments: [String]) -> (instance: InstalledTokenizer?, code: CInt) {
        hooks.calling {
            do {
                return (InstalledTokenizer(try make(arguments), hooks: hooks), SQLITE_OK)
            } catch {
                self.error = error
                return (nil, LocalConnection.fts5Code(of: error).rawValue)
            }
        }
    }

    static var module: fts5_tokenizer {
        fts5_tokenizer(xCreate: createTokenizer, xDelete: deleteTokenizer, xTokenize: runTokenizer)
    }

    /// The error of a tokenizer that could not be created, if it is written in Swift.
    static func takeError(of module: fts5_tokenizer, _ context: UnsafeMutableRawPointer?) -> (any Error)? {
        let delete = Self.module.xDelete
        guard
            unsafeBitCast(module.xDelete, to: UnsafeRawPointer?.self)
                == unsafeBitCast(delete, to: UnsafeRawPointer?.self), let context
        else { return nil }
        let factory = Unmanaged<FTS5TokenizerFactory>.fromOpaque(context).takeUnretainedValue()
        defer { factory.error = nil }
        return factory.error
    }
}

/// An instance of a tokenizer written in Swift.
private final class InstalledTokenizer {
    let tokenize: FTS5TokenizeFunction
    // The program may keep its own instance after the connection closes.
    private weak var hooks: ConnectionHooks?

    init(_ tokenize: @escaping FTS5TokenizeFunction, hooks: ConnectionHooks) {
        self.tokenize = tokenize
        self.hooks = hooks
    }

    /// - Returns: an error code or SQLITE_OK: after any other success code, SQLite would step forever.
    func run(
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ text: UnsafePointer<CChar>?, _ count: CInt,
        _ token: @escaping FTS5TokenFunction
    ) -> CInt {
        var relay = TokenRelay(context: context, token: token)
        let code = withUnsafeMutablePointer(to: &relay) { relay in
            func run() -> CInt { tokenize(relay, flags, text, count, relayToken) }
            return hooks.map { $0.calling(run) } ?? run()
        }
        guard code == SQLITE_ROW || code == SQLITE_DONE, code != relay.code else { return code }
        return LocalConnection.fts5Code(of: DatabaseError(resultCode: ResultCode(rawValue: code))).rawValue
    }
}

/// The receiver of tokens, and the last code it returned.
private struct TokenRelay {
    let context: UnsafeMutableRawPointer?
    let token: FTS5TokenFunction
    var code = SQLITE_OK
}

private func relayToken(
    _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ bytes: UnsafePointer<CChar>?, _ count: CInt, _ start: CInt,
    _ end: CInt
) -> CInt {
    // Invariant: the context is the relay of InstalledTokenizer.run, which outlives the call.
    let relay = context!.assumingMemoryBound(to: TokenRelay.self)
    let code = relay.pointee.token(relay.pointee.context, flags, bytes, count, start, end)
    relay.pointee.code = code
    return code
}

private func createTokenizer(
    _ context: UnsafeMutableRawPointer?, _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ count: CInt,
    _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    let factory = Unmanaged<FTS5TokenizerFactory>.fromOpaque(context!).takeUnretainedValue()
    let texts = (0..<Int(count)).map { index in arguments![index].map { String(cString: $0) } ?? "" }
    let (instance, code) = factory.makeInstance(texts)
    result?.pointee = instance.map { OpaquePointer(Unmanaged.passRetained($0).toOpaque()) }
    return code
}

private func deleteTokenizer(_ tokenizer: OpaquePointer?) {
    guard let tokenizer else { return }
    Unmanaged<InstalledTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).release()
}

private func runTokenizer(
    _ tokenizer: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ text: UnsafePointer<CChar>?,
    _ count: CInt, _ token: FTS5TokenFunction?
) -> CInt {
    guard let tokenizer, let token else { return SQLITE_MISUSE }
    let instance = Unmanaged<InstalledTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).takeUnretainedValue()
    return instance.run(context, flags, text, count, token)
}
