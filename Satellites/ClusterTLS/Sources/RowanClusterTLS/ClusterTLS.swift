// The files of a certificate, and the transport of a cluster that uses them.

import CTLSSession
public import RowanCluster

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Mutual TLS 1.3 between a client and the nodes of a cluster.
///
/// ```swift
/// var options = ClusterOptions()
/// options.tls = try ClusterTLS(certificate: "client.pem", key: "client.key", authority: "ca.pem")
/// let cluster = try DatabaseCluster(addresses: ["db1.example.com:9001"], database: "app", options: options)
/// ```
///
/// The client and the nodes prove who they are with certificates of the same authority. That of a node must be valid for
/// the host of the address by which it is reached, in its `subjectAltName`, and have `serverAuth` in its
/// `extendedKeyUsage`. The files are in the PEM format.
///
/// They are read again when they change, before the next connection: certificates are renewed without a restart. While
/// the new ones can't be read, because only some of them have been written, the old ones stay in use.
public final class ClusterTLS: ClusterTransport {
    private let files: [String]
    private let state: Mutex<State>

    private struct State {
        var context: Context
        var stamps: [Stamp?]
        /// Why changed files are not in use, and when they are tried again.
        var problem: (text: String, retry: ContinuousClock.Instant)?
    }

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - certificate: the path of the certificate, followed by those of intermediate authorities in the same file.
    ///   - key: the path of its key.
    ///   - authority: the path of the certificate of the authority that has signed those of the nodes.
    /// - Throws: ``ClusterTLSError`` if a file can't be read, or the key belongs to another certificate.
    public init(certificate: String, key: String, authority: String) throws(ClusterTLSError) {
        files = [certificate, key, authority]
        let stamps = files.map(Stamp.init)
        state = Mutex(State(context: try Context(files), stamps: stamps))
    }

    /// The certificates that are in use. If the files have changed and can be read, they are the new ones.
    private func current() -> Context {
        let stamps = files.map(Stamp.init)
        return state.withLock { state in
            let isDue = state.problem.map { ContinuousClock.now >= $0.retry } ?? false
            guard stamps != state.stamps || isDue else { return state.context }
            do throws(ClusterTLSError) {
                state.context = try Context(files)
                state.problem = nil
            } catch {
                // The files may be incomplete while they are being replaced.
                state.problem = (error.description, .now + .seconds(2))
            }
            state.stamps = stamps
            return state.context
        }
    }

    /// Why the files, which have changed, are not in use; nil if they are.
    @_spi(Node) public func renewalProblem() -> String? {
        _ = current()
        return state.withLock { $0.problem?.text }
    }

    public func channel(over socket: CInt, to host: String) throws -> any ClusterChannel {
        try TLSSession(current(), socket, host: host)
    }

    /// A session with a client or a node that has connected.
    @_spi(Node) public func accept(_ socket: CInt) throws(ClusterTLSError) -> TLSSession {
        try TLSSession(current(), socket, host: nil)
    }

    /// A session with a node that has been connected to.
    @_spi(Node) public func connect(_ socket: CInt, to host: String) throws(ClusterTLSError) -> TLSSession {
        try TLSSession(current(), socket, host: host)
    }
}

extension ClusterOptions {
    /// Secures the connections to the nodes with TLS: see ``ClusterTLS``.
    public var tls: ClusterTLS? {
        get { transport as? ClusterTLS }
        set { transport = newValue }
    }
}

/// An error of certificates or of a TLS connection.
public struct ClusterTLSError: Error, CustomStringConvertible, Hashable {
    /// What happened.
    public let description: String

    init(_ failure: tls_failure) {
        description = withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// OpenSSL's context. Its functions may be called by any thread.
final class Context: Sendable {
    private let pointer: Mutex<OpaquePointer>

    init(_ files: [String]) throws(ClusterTLSError) {
        var failure = tls_failure()
        guard let pointer = tls_context_create(files[0], files[1], files[2], &failure) else { throw .init(failure) }
        self.pointer = Mutex(pointer)
    }

    deinit { pointer.withLock { tls_context_release($0) } }

    func session(_ socket: CInt, _ host: String?) throws(ClusterTLSError) -> OpaquePointer {
        var failure = tls_failure()
        let session = pointer.withLock { tls_session_create($0, socket, host, &failure) }
        guard let session else { throw .init(failure) }
        return session
    }
}

/// What changes when a file is replaced or written.
private struct Stamp: Equatable {
    let device: UInt64, inode: UInt64, size: Int64, seconds: Int, nanoseconds: Int

    /// nil if the file does not exist.
    init?(_ path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        #if canImport(Darwin)
        let time = information.st_mtimespec
        #else
        let time = information.st_mtim
        #endif
        device = UInt64(information.st_dev)
        inode = UInt64(information.st_ino)
        size = Int64(information.st_size)
        (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
}
