// What a person reads about an error.

import Foundation
package import Rowan

extension DatabaseFile {
    package static func explained(_ error: DatabaseError, _ path: String) -> any Error {
        switch error.resultCode {
        case .SQLITE_NOTADB:
            return Failure(
                message:
                    "\(path) is not a SQLite database, or it is encrypted: decrypt it with the program that has its key"
            )
        case .SQLITE_CORRUPT:
            return Failure(
                message:
                    "\(path) is damaged (\(error.message ?? "\(error.resultCode)")): restore a backup, or save what can be "
                    + "read with: rowan dump \(path)")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return Failure(message: "\(path) is locked by another program: try again when it has finished")
        case .SQLITE_CANTOPEN: return Failure(message: unopened(error, path))
        case .SQLITE_READONLY: return Failure(message: readOnly(error, path))
        case .SQLITE_INTERRUPT: return CancellationError()
        case .SQLITE_MISUSE:
            return Failure(message: error.sentence(arguments: "pass -p NAME=VALUE for :NAME, and -p VALUE for ?"))
        default: return Failure(message: "\(path): \(error.withAdvice("\(error)"))")
        }
    }

    private static func unopened(_ error: DatabaseError, _ path: String) -> String {
        let attached = "unable to open database: "
        if let message = error.message, message.hasPrefix(attached) {
            return "can't open \(message.dropFirst(attached.count)), which the SQL names"
        }
        if access(path, F_OK) == 0, access(path, R_OK) == 0 { return withoutFolder(path) ?? "can't open \(path)" }
        let file = access(path, F_OK) == 0 ? path : folder(of: path)
        let reason = access(file, file == path ? R_OK : W_OK) == 0 ? "" : ": \(String(cString: strerror(errno)))"
        return "can't open \(path)\(reason)"
    }

    private static func readOnly(_ error: DatabaseError, _ path: String) -> String {
        switch error.extendedResultCode {
        case .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY:
            "a program that stopped has left \(path) in the middle of a transaction: undo it by opening the file for writing, "
                + "as in: rowan query --write \(path) 'SELECT 1'"
        case .SQLITE_READONLY_CANTINIT, .SQLITE_READONLY_CANTLOCK, .SQLITE_READONLY_DIRECTORY:
            withoutFolder(path) ?? "\(path): \(error)"
        default:
            access(path, W_OK) == 0
                ? "\(path): \(error)" : "can't write \(path): \(String(cString: strerror(errno)))"
        }
    }

    private static func folder(of path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    /// A sentence about a folder in which SQLite can't create files; nil for another one.
    private static func withoutFolder(_ path: String) -> String? {
        guard access(folder(of: path), W_OK) != 0 else { return nil }
        return "can't read \(path), because its write-ahead log needs files in the same folder "
            + "(\(String(cString: strerror(errno)))): make the folder writable, or copy the database and its -wal file"
    }
}

extension DatabaseError {
    /// The message without advice for programs.
    ///
    /// - Parameter arguments: what to do about arguments without values.
    package func sentence(arguments advice: String) -> String {
        let text = message ?? "\(resultCode)"
        if text.hasPrefix("multiple statements") { return "there are several statements: pass one at a time" }
        if text.hasPrefix("wrong number of statement arguments") {
            return "the statement has another number of arguments than values: \(advice)"
        }
        if text.contains("statement argument") { return "\(text): \(advice)" }
        return withAdvice(text.firstRange(of: ", or raise SQLLimits.").map { String(text[..<$0.lowerBound]) } ?? text)
    }

    /// A text with the hint, unless it is advice for programs.
    package func withAdvice(_ text: String) -> String {
        let isForAll =
            migration != nil || resultCode == .SQLITE_ERROR
            || [.SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT_CHECK].contains(extendedResultCode)
        return isForAll ? hint.map { "\(text): \($0)" } ?? text : text
    }
}

extension CocoaError {
    /// The file, and what the system says about it.
    var sentence: String {
        let cause = userInfo[NSUnderlyingErrorKey]
        let code = (cause as? POSIXError)?.code.rawValue ?? (cause as? NSError).map { Int32($0.code) }
        let reason = code.map { String(cString: strerror($0)) } ?? localizedDescription
        return (filePath ?? url?.relativePath).map { "\($0): \(reason)" } ?? reason
    }
}
