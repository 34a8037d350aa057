// The progress of an import, for a person.

import Foundation
import RowanImport

/// A line of a terminal, which is drawn at most ten times a second.
final class ProgressLine {
    private let now: () -> ContinuousClock.Instant
    private let write: (String) -> Void
    private var name = ""
    private var size = 0
    private var start: ContinuousClock.Instant
    private var lastDrawing: ContinuousClock.Instant?

    init(now: @escaping () -> ContinuousClock.Instant, write: @escaping (String) -> Void) {
        (self.now, self.write) = (now, write)
        start = now()
    }

    /// - Returns: nil if the standard error is no terminal.
    convenience init?() {
        guard Console.showsProgress else { return nil }
        // A line that can't be shown is not worth an error.
        self.init(now: { .now }) { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }
    }

    /// Begins a file.
    func begin(_ file: URL) {
        name = file.lastPathComponent.onOneLine.truncated(to: 16)
        // Pipes have no size.
        size = (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
        start = now()
    }

    func show(_ progress: ImportProgress) {
        show(byteCount: progress.byteCount, rowCount: progress.rowCount, isFindingTypes: progress.isFindingTypes)
    }

    func show(byteCount: Int, rowCount: Int, isFindingTypes: Bool) {
        let now = now()
        if let lastDrawing, now - lastDrawing < .milliseconds(100) { return }
        lastDrawing = now
        let megabytes = { (bytes: Int) in String(format: "%.1f", Double(bytes) / 1_000_000) }
        var text = name
        if size > 0 {
            let share = min(1, Double(byteCount) / Double(size))
            let full = Int(share * 8)
            text += " " + String(repeating: "█", count: full) + String(repeating: "░", count: 8 - full)
            text += String(format: " %3.0f %%", share * 100) + "  \(megabytes(byteCount)) of \(megabytes(size)) MB  "
        } else {
            text += "  \(megabytes(byteCount)) MB  "
        }
        let seconds = max((now - start) / .seconds(1), 0.1)
        text += isFindingTypes ? "finding types" : "\(rowCount) rows  \(Int(Double(rowCount) / seconds)) rows/s"
        write("\r\(text)\u{1B}[K")
    }

    func clear() {
        guard lastDrawing != nil else { return }
        lastDrawing = nil
        write("\r\u{1B}[K")
    }
}
