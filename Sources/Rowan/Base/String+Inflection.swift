// Plurals, singulars and capitalized names.

extension String {
    /// The plural, by the rules of ``Inflections/default``: `book` gives `books`.
    package var pluralized: String { Inflections.default.pluralize(self) }

    /// The singular, by the rules of ``Inflections/default``: `books` gives `book`.
    package var singularized: String { Inflections.default.singularize(self) }

    /// The name with its first character in upper case: `book` gives `Book`.
    package var uppercasedFirst: String {
        guard let first else { return self }
        return first.uppercased() + dropFirst()
    }
}
