// An error reported by a macro, at the position that it concerns.

/// An error in the source of a declaration or an expression.
package struct Problem: Error {
    package let message: String
    /// The offset in the source.
    package let offset: Int
    /// A change that fixes it.
    package var fix: Fix?

    package struct Fix {
        let message: String
        let start: Int
        let end: Int
        let text: String

        package init(message: String, start: Int, end: Int, text: String) {
            (self.message, self.start, self.end, self.text) = (message, start, end, text)
        }
    }

    package init(_ message: String, at offset: Int, fix: Fix? = nil) {
        self.message = message
        self.offset = offset
        self.fix = fix
    }

    /// The diagnostic for source at a position in a file.
    package func diagnostic(_ piece: SourcePiece) -> PluginDiagnostic {
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
