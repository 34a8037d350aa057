// What the system knows of a file.

import RowanPlatform

/// The status of a file or folder. Symbolic links are followed.
/// <https://pubs.opengroup.org/onlinepubs/9799919799/functions/stat.html>
struct FileStatus {
    let device: UInt64
    let inode: UInt64
    /// In bytes.
    let size: Int
    let isFolder: Bool
    /// Who may read, write and execute it.
    let permissions: mode_t

    /// The status of what is at a path, or nil if there is nothing or it can't be accessed.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o777
    }

    /// Whether both are the same file.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
