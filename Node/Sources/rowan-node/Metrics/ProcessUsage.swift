// What the process uses of its machine. Source: https://man7.org/linux/man-pages/man5/proc.5.html

import Glibc

/// The resources of this process. Each is nil if the system doesn't report it.
enum ProcessUsage {
    /// In bytes.
    static var residentMemory: UInt64? {
        // Without /proc, the metric is missing.
        guard let fields = try? DataFolder.read("/proc/self/statm")?.split(separator: " "), fields.count > 1 else {
            return nil
        }
        return UInt64(fields[1]).map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) }
    }

    static var openDescriptorCount: UInt64? {
        // The list itself uses one.
        names(in: "/proc/self/fd").map { UInt64($0.count - 1) }
    }

    static var descriptorLimit: UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// The space that the files of a folder take on its disk, in bytes.
    static func size(of folder: String) -> UInt64? {
        names(in: folder)?.reduce(0) { total, name in
            var status = stat()
            // dqlite may have removed it.
            guard lstat("\(folder)/\(name)", &status) == 0 else { return total }
            return total + 512 * UInt64(status.st_blocks)
        }
    }

    private static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
