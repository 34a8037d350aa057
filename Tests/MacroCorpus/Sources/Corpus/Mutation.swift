// Mutations: seeded edits of a struct. The compiler rejects many of them; those that it accepts are compared.

import SwiftParser
import SwiftSyntax

struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A struct to mutate.
struct Subject {
    let source: [UInt8]
    /// The positions of its tokens.
    let tokens: [Range<Int>]
    /// The positions of its members.
    let members: [Range<Int>]

    init?(_ source: String) {
        let file = Parser.parse(source: source)
        guard let node = file.statements.first?.item.as(StructDeclSyntax.self) else { return nil }
        func range(_ node: some SyntaxProtocol) -> Range<Int> {
            node.offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
        }
        self.source = Array(source.utf8)
        tokens = file.tokens(viewMode: .sourceAccurate).dropLast().map(range)
        members = node.memberBlock.members.map { range($0.decl) }
    }

    /// Edits the source in one to three places.
    func mutated(with others: [Subject], _ random: inout SplitMix) -> String {
        var edits: [(range: Range<Int>, text: [UInt8])] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let edit = edit(others, &random)
            if !edits.contains(where: { $0.range.overlaps(edit.range) || $0.range == edit.range }) {
                edits.append(edit)
            }
        }
        var result = source
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            result.replaceSubrange(edit.range, with: edit.text)
        }
        let text = String(decoding: result, as: UTF8.self)
        return Int.random(in: 0..<20, using: &random) == 0 ? text.replacing("\n", with: "\r\n") : text
    }

    private func edit(_ others: [Subject], _ random: inout SplitMix) -> (range: Range<Int>, text: [UInt8]) {
        let place = tokens.indices.randomElement(using: &random)!
        let token = tokens[place]
        let start = token.lowerBound..<token.lowerBound
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            // Joined with the next token.
            guard place + 1 < tokens.count else { fallthrough }
            return (token.upperBound..<tokens[place + 1].lowerBound, [])
        case 1:
            return (token, [])
        case 2:
            return (token, Array(Self.replacements.randomElement(using: &random)!.utf8))
        case 3, 4:
            // Moves a member before another one.
            guard let next = members.randomElement(using: &random) else { fallthrough }
            let other = others.randomElement(using: &random)!
            var text = Array(Self.members.randomElement(using: &random)!.utf8)
            if Bool.random(using: &random), let member = other.members.randomElement(using: &random) {
                text = Array(other.source[member])
            }
            return (next.lowerBound..<next.lowerBound, text + Array((Bool.random(using: &random) ? "\n" : "; ").utf8))
        default:
            return (start, Array(Self.insertions.randomElement(using: &random)!.utf8))
        }
    }

    private static let insertions = [
        "/* } */", " /* \" */ ", "\n", "\n", "\r\n", "\r", " // ) \" {\n", "/* a /* b */ ] */", " ", "\n\n    ",
        "@Flag ", "@Note(\"}\", a: [1]) ", "@M.Note<A, (B) -> C>(x < y, z > w, { $0 }) ", "@Note (1) ", "\n@Other\n",
        "/// text `x`\n", "#if DEBUG\n", "\n#else\n", "\n#endif\n", "\n#if A\n@Flag\n#endif\n", "; ", "\n/*\n*/",
        "//\n", "/*\"\"\"*/", "\t", "\u{B}", "\u{FEFF}", "\u{A0}", "static ", "private(set) ", "nonisolated(unsafe) ",
        "lazy ",
        "try ", "await ", "-", "!", "&", "~", "any ", "some ", "\\", ".", "?", "@", "#", "`", "(", ")", "<", ">",
        "{ ", " }",
    ]
    private static let replacements = [
        "?", "!", "=", "==", "<", ">", ">?", "->", ":", ",", ".", "...", "/", "//", "&", "&&", "??", "as", "as?",
        "is", "in", "if", "else", "var", "let", "init", "get", "set", "didSet", "async", "throws", "some", "any",
        "each", "self", "nil", "1", "0x1p3", "1.5", "x", "`x`", "é", "\"\"", "\"\\(a)\"", "#\"\\\"#", "#\"\"\"#",
        "/a\"/", "#/}/#", "#x", "@A", "{}", "()", "[]", "[:]", "\\.a", "$0", "_", "class", "macro", "import", "case",
        "where",
    ]
    private static let members = [
        "var a1: [Int]?=nil", "let a2: Foo<Bar>?", "var a3 = f(a<b, c>(d))", "var a4 = a<b, c>d",
        "let a5 = /a\\/b\"}/", "let a6 = #/ } \" /#", "let a7 = #\"\"\"#",
        "let a8 = \"\"\"\n  \" \\(\"}\") \\\n  x\n  \"\"\"", "var a9, b9: Int", "var (a10, b10): (Int, Int) = (1, 2)",
        "var a11: Int { get async throws { 1 } }", "var a12 = 1 { didSet { } }", "lazy var a13 = { 1 }()",
        "let a14 = if x { 1 } else { 2 }", "let a15 = switch x { case 1: 2 default: 3 }", "let a16 = x ? y : z",
        "let a17 = x ? [y: z] : [:]", "let a18 = \\A<B>.c?.d[0]", "let a19 = x as? [Y]",
        "let a20: @Sendable (Int) async throws(E) -> Void = { _ in }", "let a21: any P & Q", "let a22: (some P)?",
        "#m(1) { } x: { }", "#m", "subscript(a: Int) -> Int { 1 }",
        "func a<T>(b c: T = 1, d: (Int) -> Int = { $0 }) {}", "static func < (l: Self, r: Self) -> Bool { true }",
        "static func <<T>(l: T, r: T) -> Bool { true }", "init?(a: Int...) throws {}",
        "typealias A<B> = C<B> where B: D", "enum E { case a(\"}\") }", "let a23 = -1", "let a24 = a.b.0.1",
        "let a25 = 0x1.8p-3", "let a26 = [1, 2].map { $0 < 1 }.map { a in a }", "let a27 = try? await f()",
        "let a28 = a ?? b", "let a29 = { (a: Int) -> Int in a }", "let a30 = f { } b: { }",
        "@Column(\"a\") var a31: Int", "@A(b: .c) @D private(set) var a32 = [Int]()", "var a33: Int { 1 }",
        "var a34: Int { _read { yield 1 } }", "@Flag (a35, b35)", "let a36 = a < b", "let a37 = a<b>.c",
        "let a38 = a...", "#if DEBUG\nvar a39: Int\n#elseif A\n#else\nlet a40 = 1\n#endif", "let a41: ~Copyable",
        "let a42: [3 of Int]", "var a43: Int = 1, b43 = \"x\" { willSet { } }", "let `a44`: `Type`",
        "let größe = \"ü\"", "let a45 = a\n.b\n.c", "let a46 = a\n+ b", "let a47 = a\n? b\n: c",
        "var a48\n: Int\n= 1\n{\ndidSet { }\n}", "let a49 = a/b/c", "let a50 = (/a/, b / c / d)",
        "let a51 = [a: /b/]", "let a52 = a ? /b/ : c / d", "let a53 = f(/x/) / 2",
        "let a54 = ...5", "let a55 = a .== b .&& c", "let a56 = \\A.b?.c!", "let a57 = .~a", "public #m(1)",
        "var a58: @Sendable(Int) -> Void", "let a59 = a .!= .!b", "let a60 = a.b!.c?[1]!", "var a61: B? = nil { c }",
        "var a62 = \\A.b { c }", "var a63 = f { } { c }", "var a64 = f { get }", "var a65: Int { get async throws(E) }",
        "let a66 = M::a", "let a70 = f { a\n/b\"/.c() }", "let a71 = [!/}/, a/b, c.in/d/e, /\\ /]",
        "let a68 = a\n#if B\n.c()\n#else\n.d\n#endif", "let a69 = (A) throws -> B",
        "var a67 = a as? B { c }",
    ]
}
