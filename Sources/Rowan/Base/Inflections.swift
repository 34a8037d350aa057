// Plurals and singulars, for the names of associations and of their aggregates. Words are looked up by their last byte,
// so no rule runs unless the program adds one.

/// Rules that form plurals and singulars: `book` and `books`, `person` and `people`.
///
/// ```swift
/// Inflections.default.pluralize("lineItem")    // lineItems
/// Inflections.default.singularize("people")    // person
///
/// Inflections.default.irregularSuffix("bateau", "bateaux")
/// Inflections.default.uncountableWords(["sushi"])
/// ```
///
/// Rules can also have regular expressions: `plural("(kol)os$", "$1oi")`.
///
/// Only the last word of a name changes: `postalAddress` gives `postalAddresses`, `line_item` gives `line_items`. A
/// trailing number is kept: `player2` gives `players2`. A word that already has the requested form doesn't change.
public struct Inflections: Sendable {
    /// A singular or a plural, in lower case, and its counterpart. It is either a whole word or an ending.
    private struct Form: Sendable {
        let bytes: [UInt8]
        let singular: String
        let plural: String
        let isSingular: Bool
        /// Whether the form is a whole word rather than an ending.
        let isWord: Bool
    }

    /// A rule added by the program: the inflected word, or nil if the rule is for other words.
    package typealias Rule = @Sendable (_ word: String) -> String?

    /// The forms by their last byte: the longest first, and the latest first among those of equal length.
    private var forms = [[Form]](repeating: [], count: 256)
    private var plurals: [Rule] = []
    private var singulars: [Rule] = []
    private let isEnglish: Bool

    /// The results of these rules so far. Copies of the rules share them until one of them changes.
    private struct Answers {
        var plurals = TextCache<String>(capacity: 500)
        var singulars = TextCache<String>(capacity: 500)
    }
    private var answers = Mutex(Answers())

    private static let current = Mutex(Inflections.english)

    /// The rules that associations use: English, and the rules added by the program. Add rules before defining
    /// associations.
    public static var `default`: Inflections {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Creates an empty set of rules: words don't change.
    public init() { isEnglish = false }

    init(english: Void) { isEnglish = true }

    // MARK: Rules

    /// Adds a rule for plurals. The most recently added rule is tried first.
    package mutating func addPlural(_ rule: @escaping Rule) {
        plurals.insert(rule, at: 0)
        answers = Mutex(Answers())
    }

    /// Adds a rule for singulars. The most recently added rule is tried first.
    package mutating func addSingular(_ rule: @escaping Rule) {
        singulars.insert(rule, at: 0)
        answers = Mutex(Answers())
    }

    /// Adds words whose singular and plural are the same, such as `sheep`.
    public mutating func uncountableWords(_ words: [String]) {
        for word in words { addIrregular(word, word, isWord: true) }
        answers = Mutex(Answers())
    }

    /// Adds a singular and its plural, for all words with this ending: `irregularSuffix("man", "men")` covers
    /// `fireman`. The longest ending wins.
    public mutating func irregularSuffix(_ singular: String, _ plural: String) {
        addIrregular(singular, plural, isWord: false)
        answers = Mutex(Answers())
    }

    mutating func addIrregular(_ singular: String, _ plural: String, isWord: Bool) {
        let (singular, plural) = (singular.lowercased(), plural.lowercased())
        for isSingular in [false, true] {
            let bytes = Array((isSingular ? singular : plural).utf8)
            guard let last = bytes.last else { continue }
            let bucket = forms[Int(last)]
            let index = bucket.firstIndex { $0.bytes.count <= bytes.count } ?? bucket.count
            forms[Int(last)].insert(
                Form(bytes: bytes, singular: singular, plural: plural, isSingular: isSingular, isWord: isWord),
                at: index)
        }
    }

    // MARK: Inflecting

    /// The plural of a name: `pluralize("lineItem")` is `lineItems`. A plural doesn't change.
    ///
    /// Complexity: O(n) in the length of the name. Results are cached, up to a limit.
    public func pluralize(_ string: String) -> String { answer(string, toSingular: false) }

    /// The singular of a name: `singularize("lineItems")` is `lineItem`. A singular doesn't change.
    ///
    /// Complexity: O(n) in the length of the name. Results are cached, up to a limit.
    public func singularize(_ string: String) -> String { answer(string, toSingular: true) }

    private func answer(_ string: String, toSingular: Bool) -> String {
        answers.withLock { answers in
            let known = toSingular ? answers.singulars.value(forKey: string) : answers.plurals.value(forKey: string)
            if let known { return known }
            let answer = inflected(string, toSingular: toSingular)
            if toSingular {
                answers.singulars.setValue(answer, forKey: string)
            } else {
                answers.plurals.setValue(answer, forKey: string)
            }
            return answer
        }
    }

    private func inflected(_ string: String, toSingular: Bool) -> String {
        let start = string.lastWordIndex
        let word = string[start...]
        guard !word.isEmpty else { return string }
        let bytes = word.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        for rule in toSingular ? singulars : plurals {
            if let result = rule(String(word)) { return string[..<start] + result }
        }
        if let form = form(of: bytes) {
            if form.isSingular == toSingular { return string }
            return string.replacingEnding(
                toSingular ? form.plural : form.singular, with: toSingular ? form.singular : form.plural)
        }
        // A trailing number is not inflected, unless a rule of the program matches it.
        let name = string.withoutFinalNumber
        if name.endIndex < string.endIndex {
            return inflected(String(name), toSingular: toSingular) + string[name.endIndex...]
        }
        guard isEnglish else { return string }
        let change = toSingular ? EnglishEnding.singular(of: bytes) : EnglishEnding.plural(of: bytes)
        guard change.removed > 0 || !change.added.isEmpty else { return string }
        return string.dropLast(change.removed) + (string.isInUpperCase ? change.added.uppercased() : change.added)
    }

    private func form(of word: [UInt8]) -> Form? {
        guard let last = word.last else { return nil }
        return forms[Int(last)].first { form in
            form.isWord ? form.bytes == word : word.suffix(form.bytes.count).elementsEqual(form.bytes)
        }
    }
}

extension String {
    /// The start of the last word of a name in camel case or snake case.
    fileprivate var lastWordIndex: Index {
        let bytes = Array(utf8)
        func isUpper(_ index: Int) -> Bool { bytes[index] &- 0x41 < 26 }
        for index in bytes.indices.reversed() {
            if bytes[index] == 0x5F { return utf8.index(startIndex, offsetBy: index + 1) }
            guard index > 0, isUpper(index) else { continue }
            // `lineItem`, or `HTTPServer`. The `s` of `userIDs` is not a word.
            let rest = bytes[(index + 1)...]
            let startsWord = !rest.isEmpty && !isUpper(index + 1) && rest != [0x73]
            if !isUpper(index - 1) || startsWord { return utf8.index(startIndex, offsetBy: index) }
        }
        return startIndex
    }

    /// The name without its trailing digits and the underscore before them.
    fileprivate var withoutFinalNumber: Substring {
        let isDigit = { (byte: UInt8) in byte &- 0x30 < 10 }
        var end = utf8.endIndex
        while end > utf8.startIndex, isDigit(utf8[utf8.index(before: end)]) { end = utf8.index(before: end) }
        while end < utf8.endIndex, end > utf8.startIndex, utf8[utf8.index(before: end)] == 0x5F {
            end = utf8.index(before: end)
        }
        return self[..<end]
    }

    /// Whether the name is an upper-case constant such as `LINE_ITEM`.
    fileprivate var isInUpperCase: Bool {
        guard utf8.contains(0x5F) else { return false }
        return !utf8.contains { 0x61...0x7A ~= $0 }
    }

    /// The name with its ending replaced. The common prefix of both endings keeps its case. Each other letter takes the
    /// case of the letter it replaces: `Person` gives `People`.
    fileprivate func replacingEnding(_ ending: String, with other: String) -> String {
        let common = String(zip(ending, other).prefix { $0 == $1 }.map(\.0))
        let kept = dropLast(ending.count - common.count)
        let added = other.dropFirst(common.count)
        if isInUpperCase { return kept + added.uppercased() }
        let replaced = self[kept.endIndex...]
        guard common.isEmpty, let first = replaced.first, first.isUppercase else { return String(kept + added) }
        return String(kept + added.prefix(1).uppercased() + added.dropFirst())
    }
}
