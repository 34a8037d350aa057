// The errors that a macro reports, at the place that they concern.

import PluginMessages
import RecordSyntax

/// An error in the source of a declaration.
struct Problem: Error {
    let message: String
    /// The offset in the source of the declaration.
    let offset: Int
    /// A change that mends it.
    var fix: Fix?

    struct Fix {
        let message: String
        let start: Int
        let end: Int
        let text: String
    }

    init(_ message: String, at offset: Int, fix: Fix? = nil) {
        self.message = message
        self.offset = offset
        self.fix = fix
    }

    /// The diagnostic, for a declaration at a place of a file.
    func diagnostic(_ piece: SourcePiece) -> PluginDiagnostic {
        let (file, base) = (piece.location.fileName, piece.location.offset)
        return PluginDiagnostic(
            message, position: .init(fileName: file, offset: base + offset),
            fixIts: fix.map {
                [
                    .init(
                        message: $0.message,
                        replacing: .init(fileName: file, startOffset: base + $0.start, endOffset: base + $0.end),
                        with: $0.text)
                ]
            } ?? [])
    }
}
