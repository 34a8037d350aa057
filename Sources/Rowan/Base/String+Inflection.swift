extension String {
    package var pluralized: String { self + "s" }
    package var singularized: String { hasSuffix("s") ? String(dropLast()) : self }
}
extension String {
    package var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
