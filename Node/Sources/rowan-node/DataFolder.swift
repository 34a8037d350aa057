// The folder of a node: dqlite's log and snapshots, a lock, and a file that identifies its node.

import Glibc

/// The folder of a node, locked until the program exits.
///
/// dqlite accepts any id and address, even those of another node. The folder therefore stores them, as well as whether
/// its node has become a member of a cluster.
final class DataFolder {
    /// The node to which the folder belongs.
    struct Owner: Equatable {
        var id: UInt64
        var address: String
        /// Whether it belongs to a cluster. Otherwise, it still has to join one.
        var isMember: Bool
    }

    let path: String
    private let lock: Int32

    /// Creates the folder if it is missing and locks it.
    ///
    /// - Throws: a `Failure` if another process has locked it or it can't be created.
    init(_ path: String) throws(Failure) {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system("create the folder \(path)") }
        lock = open("\(path)/rowan-node.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .system("open the lock in \(path)") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the file.
            let code = errno
            if code == EWOULDBLOCK {
                throw Failure("another process runs a node in \(path): stop it first or use another folder")
            }
            throw .system("lock \(path)", code: code)
        }
    }

    deinit { close(lock) }

    /// The node to which the folder belongs, or nil if it is new.
    ///
    /// - Throws: a `Failure` if the file can't be read.
    func owner() throws(Failure) -> Owner? {
        let file = "\(path)/rowan-node.txt"
        guard let text = try Self.read(file) else { return nil }
        let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        let fields = Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        guard let id = fields["id"].flatMap(UInt64.init), let address = fields["address"], let state = fields["state"]
        else { throw Failure("\(file) is damaged: restore it, or start with an empty folder") }
        return Owner(id: id, address: address, isMember: state == "member")
    }

    /// Stores the node to which the folder belongs, even if the machine loses power.
    ///
    /// - Throws: a `Failure` if the file can't be written.
    func setOwner(_ owner: Owner) throws(Failure) {
        let state = owner.isMember ? "member" : "joining"
        let new = "\(path)/rowan-node.new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("write \(new)") }
        let bytes = Array("id \(owner.id)\naddress \(owner.address)\nstate \(state)\n".utf8)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else { throw .system("write \(new)", code: code) }
        guard rename(new, "\(path)/rowan-node.txt") == 0 else { throw .system("rename \(new)") }
        let folder = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else { throw .system("write the folder \(path)") }
    }

    /// The text of a small file, or nil if there is none.
    static func read(_ file: String) throws(Failure) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("read \(file)")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .system("read \(file)") }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
