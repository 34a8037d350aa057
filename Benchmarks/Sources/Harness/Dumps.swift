import Foundation

// The texts written by dumps. The sides format them differently, so the digests only contain the common parts.

extension Assignment {
    /// The path of the file written by the workload.
    public var dumpPath: String { path + "-dump.txt" }
}

extension Checksum {
    /// Adds the bytes of a CSV file, except quotes, which are optional, and CR.
    public mutating func add(csv path: String) throws {
        for byte in try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        where byte != 0x22 && byte != 0x0D {
            add(UInt64(byte))
        }
    }

    /// Adds the single-quoted literals in an SQL file.
    public mutating func add(literals path: String) throws {
        var isInside = false
        for byte in try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) {
            if byte == 0x27 { isInside.toggle() }
            if isInside { add(UInt64(byte)) }
        }
    }
}

/// A file for the output of a dump.
public final class OutputFile: TextOutputStream {
    private let file: UnsafeMutablePointer<FILE>

    public init(path: String) {
        guard let file = fopen(path, "w") else { fatalError("cannot write \(path)") }
        self.file = file
    }

    deinit { fclose(file) }

    public func write(_ string: String) {
        var string = string
        string.withUTF8 { bytes in
            guard fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else { fatalError("cannot write") }
        }
    }
}
