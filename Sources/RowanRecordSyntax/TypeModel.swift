// Types and values, as far as a macro examines them. The rest is left to the compiler.

/// A type as written.
public struct TypeModel: Equatable, Sendable {
    /// The form of a type, as far as the source shows it.
    public indirect enum Form: Equatable, Sendable {
        /// `Module.Name<Argument>`: the name without its arguments.
        case named(String, arguments: [Form])
        /// `T?`, `T!`
        case optional(Form)
        /// `[T]`, `[K: V]`
        case collection
        /// Several types in parentheses, or none.
        case tuple
        case function
        /// `any P`, `P & Q`, `repeat each T`
        case other
    }

    public let form: Form
    /// The type, without spaces and comments.
    public let text: String
    /// The type as written, without comments.
    public let source: String
    /// Whether it is, or contains, a function type.
    public let hasFunction: Bool

    /// Whether both are the same, apart from whitespace.
    public static func == (lhs: TypeModel, rhs: TypeModel) -> Bool { lhs.text == rhs.text }

    /// The last component of a name.
    public var name: String? {
        guard case .named(let name, _) = form else { return nil }
        return name.split(separator: ".").last.map(String.init)
    }
}

extension TypeModel.Form {
    /// The type in an optional; nil if it isn't one.
    public var wrapped: TypeModel.Form? {
        switch self {
        case .optional(let wrapped): wrapped
        case .named("Optional", let arguments), .named("Swift.Optional", let arguments): arguments.first
        case .named, .collection, .tuple, .function, .other: nil
        }
    }
}

/// An expression as written.
public struct ValueModel: Equatable, Sendable {
    /// The form of a value, as far as the source shows it.
    public enum Form: Equatable, Sendable {
        /// A string literal, plain without interpolation and line breaks.
        case text(isPlain: Bool)
        case integer
        case decimal
        case boolean(Bool)
        case null
        /// `nil as Int?`, `Int?.none`
        case cast(TypeModel.Form)
        /// `.name(arguments)`: everything after the point.
        case member(String)
        /// `Name.self`: the source of the type.
        case metatype(String)
        case other
    }

    public let form: Form
    /// The value, without spaces and comments between tokens.
    public let text: String
    /// The value as written, without comments.
    public let source: String

    /// Whether both are the same, apart from whitespace.
    public static func == (lhs: ValueModel, rhs: ValueModel) -> Bool { lhs.text == rhs.text }
}

extension TokenReader {
    mutating func readType() throws(SyntaxError) -> TypeModel {
        let start = mark
        let form = try readTypeForm()
        return TypeModel(
            form: form, text: text(since: start), source: source(since: start),
            hasFunction: tokens[start.index..<index].contains { $0.mark == .arrow })
    }

    /// The value between a position and this one.
    func value(since start: Mark) -> ValueModel {
        ValueModel(form: valueForm(since: start), text: text(since: start), source: source(since: start))
    }

    private func valueForm(since start: Mark) -> ValueModel.Form {
        let tokens = tokens[start.index..<index]
        guard start.taken == 0, let first = tokens.first, let last = tokens.last else { return .other }
        if tokens.count == 1 { return Self.literal(first) }
        if tokens.count == 2, first.mark == .minus, last.kind == .number { return Self.literal(last) }
        if first.mark == .period { return .member(String(text(since: start).dropFirst())) }
        let beforeLast = tokens.dropLast().last?.mark
        if last.keyword == .self, beforeLast == .period { return .metatype(String(source(since: start).dropLast(5))) }
        let isAfterOptional =
            beforeLast == .optionalPeriod || beforeLast == .period && tokens.dropLast(2).last?.mark == .question
        if last.text == "none", isAfterOptional { return .cast(.optional(.other)) }
        guard Self.literal(first) != .other, tokens.dropFirst().first?.keyword == .as else { return .other }
        var reader = self
        reader.mark = Mark(index: start.index + 2, taken: 0)
        // Any error means that it is more than a cast.
        guard let type = try? reader.readTypeForm(), reader.index == index else { return .other }
        return .cast(type)
    }

    private static func literal(_ token: Token) -> ValueModel.Form {
        switch token.kind {
        case .string: .text(isPlain: !token.text.hasInterpolation && !token.text.contains("\n"))
        case .number: token.text.contains(".") ? .decimal : .integer
        case .word where token.keyword == .true || token.keyword == .false: .boolean(token.keyword == .true)
        case .word where token.keyword == .nil: .null
        case .word, .quoted, .regex, .symbol, .punctuation, .end: .other
        }
    }
}

extension String {
    /// Whether a string literal contains an interpolation: `\(` or, between signs, `\#(`. A backslash may stand for itself.
    fileprivate var hasInterpolation: Bool {
        let sign = UInt8(ascii: "#")
        let signs = utf8.prefix { $0 == sign }
        var rest = utf8[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            rest = rest[backslash...].dropFirst()
            guard rest.starts(with: signs) else { continue }
            rest = rest.dropFirst(signs.count)
            if rest.popFirst() == UInt8(ascii: "(") { return true }
        }
        return false
    }
}
