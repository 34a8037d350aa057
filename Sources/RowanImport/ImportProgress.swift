// The progress of an import.

/// The progress of an import: see ``/Rowan/Database/importCSV(into:from:format:key:onBadRow:onProgress:)``.
///
/// Article: <doc:ImportingFiles>.
public struct ImportProgress: Hashable, Sendable {
    /// The number of bytes that were read.
    public internal(set) var byteCount = 0
    /// Whether the values are read to find the types of a table that is created. The file is then read a second time.
    public internal(set) var isFindingTypes = false
    /// The number of rows that were inserted.
    public internal(set) var rowCount = 0
}

/// A source that reports what is read.
final class ReportedSource: ImportSource {
    private let base: any ImportSource
    private let report: (ImportProgress) throws -> Void
    var progress = ImportProgress()

    init(_ base: any ImportSource, _ report: @escaping (ImportProgress) throws -> Void) {
        (self.base, self.report) = (base, report)
    }

    var name: String? { base.name }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try base.read(into: buffer)
        progress.byteCount += count
        try report(progress)
        return count
    }

    func rewind() -> Bool {
        guard base.rewind() else { return false }
        progress.byteCount = 0
        return true
    }
}
