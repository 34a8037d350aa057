// The tokenizers of FTS5 tables, as named in their definitions. https://sqlite.org/fts5.html#tokenizers

/// A tokenizer of ``FTS5``: how text and patterns are split into tokens. A text matches a pattern if both give the same
/// tokens.
///
/// ``FTS5CustomTokenizer/tokenizerDescriptor(arguments:)`` describes a tokenizer in Swift.
public struct FTS5TokenizerDescriptor: Hashable, Sendable {
    /// The name of the tokenizer, followed by its arguments.
    public let components: [String]

    /// Creates a descriptor from a name and arguments: `["porter", "unicode61", "remove_diacritics", "0"]`.
    public init(components: [String]) { self.components = components }

    /// Splits at ASCII characters that are neither letters nor digits, and converts ASCII letters to lower case. It
    /// matches "Foo" with "FOO", but not "Jérôme" with "JÉRÔME". <https://sqlite.org/fts5.html#ascii_tokenizer>
    ///
    /// - Parameters:
    ///   - separators: letters and digits to split at.
    ///   - tokenCharacters: other ASCII characters that belong to tokens.
    public static func ascii(
        separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["ascii"] + options(separators, tokenCharacters))
    }

    /// Reduces English words to their stem: it matches "database" with "databases".
    /// <https://sqlite.org/fts5.html#porter_tokenizer>
    ///
    /// - Parameter base: the tokenizer that splits the text; by default, unicode61.
    public static func porter(wrapping base: FTS5TokenizerDescriptor? = nil) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
    }

    /// Reduces English words to their stem, after another tokenizer: `.porter(.ascii())`.
    public static func porter(_ base: FTS5TokenizerDescriptor) -> FTS5TokenizerDescriptor { porter(wrapping: base) }

    /// Splits at all Unicode characters that are neither letters nor digits, and converts letters to lower case without
    /// their diacritics. It matches "Jérôme" with "JEROME". This is the default tokenizer.
    /// <https://sqlite.org/fts5.html#unicode61_tokenizer>
    ///
    /// - Parameters:
    ///   - diacritics: the handling of diacritics.
    ///   - categories: the Unicode categories whose characters belong to tokens; by default, `L* N* Co`.
    ///   - separators: letters and digits to split at.
    ///   - tokenCharacters: other characters that belong to tokens.
    public static func unicode61(
        diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "", separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        var components = ["unicode61"]
        switch diacritics {
        case .keep: components += ["remove_diacritics", "0"]
        case .removeLegacy: break
        case .remove: components += ["remove_diacritics", "2"]
        }
        if !categories.isEmpty { components += ["categories", categories] }
        return FTS5TokenizerDescriptor(components: components + options(separators, tokenCharacters))
    }

    /// Indexes all sequences of three characters. A pattern, LIKE and GLOB then find any part of a text, which suits
    /// languages without spaces between words. <https://sqlite.org/fts5.html#the_trigram_tokenizer>
    ///
    /// - Parameters:
    ///   - caseSensitive: whether upper-case and lower-case letters differ.
    ///   - removesDiacritics: whether "é" matches "e". Requires SQLite 3.45, and is not compatible with
    ///     `caseSensitive`.
    public static func trigram(
        caseSensitive: Bool = false, removesDiacritics: Bool = false
    ) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(
            components: ["trigram"] + (caseSensitive ? ["case_sensitive", "1"] : [])
                + (removesDiacritics ? ["remove_diacritics", "1"] : []))
    }

    private static func options(_ separators: Set<Character>, _ tokenCharacters: Set<Character>) -> [String] {
        (separators.isEmpty ? [] : ["separators", String(separators.sorted())])
            + (tokenCharacters.isEmpty ? [] : ["tokenchars", String(tokenCharacters.sorted())])
    }

    /// The name of the tokenizer.
    ///
    /// - Throws: SQLITE_MISUSE without components.
    var name: String {
        get throws {
            guard let name = components.first else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the descriptor of an FTS5 tokenizer has no components: pass its name, then its arguments")
            }
            return name
        }
    }

    /// `tokenize='''porter'' ''ascii'''`
    var option: String {
        get throws {
            _ = try name
            let words = components.map(\.quotedDatabaseString)
            return "tokenize=\(words.joined(separator: " ").quotedDatabaseString)"
        }
    }
}
