// corpus [--mutations N] [--seed N] [--show N] FOLDER...
//
// Compares the parser of RowanRecords with the compiler's for every struct below the folders, and for mutations of them.
// A difference ends the program with 1. Where the own parser refuses, it is counted: an untouched struct must not be
// refused.

import Foundation
import RecordSyntax
import SwiftParser
import SwiftSyntax

struct Options {
    var mutations = 0
    var seed: UInt64 = 1
    var shown = 10
    var folders: [String] = []

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--mutations": mutations = rest.popFirst().flatMap { Int($0) } ?? 0
            case "--seed": seed = rest.popFirst().flatMap { UInt64($0) } ?? 1
            case "--show": shown = rest.popFirst().flatMap { Int($0) } ?? 10
            default: folders.append(argument)
            }
        }
    }
}

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

final class StructFinder: SyntaxVisitor {
    var sources: [String] = []
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        if !node.hasError { sources.append(node.trimmedDescription) }
        return .visitChildren
    }
}

func swiftFiles(below folder: String) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
}

/// The compiler's description of a source that is one struct; nil if the compiler does not accept it.
func realDescription(_ source: String) -> [String]? {
    let file = Parser.parse(source: source)
    guard !file.hasError, file.statements.count == 1,
        let node = file.statements.first?.item.as(StructDeclSyntax.self)
    else { return nil }
    return RealDescription(node).lines
}

enum Outcome {
    case equal
    case refused(SyntaxError)
    case different(real: [String], own: [String])
}

/// A line without spaces: the parsers draw different borders between the lines of a string and their indentation.
func withoutSpaces(_ line: String) -> String {
    var text = ""
    for part in line.split(separator: "\n", omittingEmptySubsequences: false) {
        text += part.filter { !$0.isWhitespace }
        if text.hasSuffix("\\") { text.removeLast() }
    }
    return text
}

func compare(_ source: String, _ real: [String]) -> Outcome {
    do throws(SyntaxError) {
        let own = OwnDescription(try StructModel(parsing: source)).lines
        return own.map(withoutSpaces) == real.map(withoutSpaces) ? .equal : .different(real: real, own: own)
    } catch {
        return .refused(error)
    }
}

/// Inserts something between two tokens of a source.
func mutate(_ source: String, _ tokens: [Int], _ random: inout SplitMix) -> String {
    let bytes = Array(source.utf8)
    let insertions = [
        "/* } */", " /* \" */ ", "\n", "\r\n", " // ) \" {\n", "/* a /* b */ ] */", " ", "\n\n    ", "@Flag ",
        "@Note(\"}\", a: [1]) ",
        "\n@Other\n", "/// text `x`\n", "#if DEBUG\n", "\n#endif\n", "; ", "\n/*\n*/",
    ]
    var result = bytes
    for _ in 0..<Int.random(in: 1...2, using: &random) {
        let place = tokens.randomElement(using: &random)!
        let text = insertions.randomElement(using: &random)!
        result.insert(contentsOf: Array(text.utf8), at: min(place, result.count))
    }
    return String(decoding: result, as: UTF8.self)
}

let options = Options(Array(CommandLine.arguments.dropFirst()))
var structs: [String] = []
var fileCount = 0
for folder in options.folders {
    for file in swiftFiles(below: folder) {
        guard let source = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
        fileCount += 1
        let finder = StructFinder(viewMode: .sourceAccurate)
        finder.walk(Parser.parse(source: source))
        structs += finder.sources
    }
}

var counts = (equal: 0, refused: 0, different: 0)
@MainActor func report(_ kind: String, _ source: String, _ detail: String) {
    guard counts.refused + counts.different <= options.shown else { return }
    print("--- \(kind)\n\(source.prefix(3_000))\n--- \(detail)\n")
}
@MainActor func check(_ source: String, _ real: [String], reportsRefusals: Bool) {
    switch compare(source, real) {
    case .equal: counts.equal += 1
    case .refused(let error):
        counts.refused += 1
        if reportsRefusals {
            let place = Array(source.utf8)[max(0, error.offset - 60)..<min(source.utf8.count, error.offset + 40)]
            report("refused", source, "\(error.message) at \(error.offset): \(String(decoding: place, as: UTF8.self))")
        }
    case .different(let real, let own):
        counts.different += 1
        let lines = zip(real + Array(repeating: "-", count: 999), own + Array(repeating: "-", count: 999))
        let first = lines.first { withoutSpaces($0) != withoutSpaces($1) }
        report("different", source, "real: \(first?.0 ?? "")\nown:  \(first?.1 ?? "")")
    }
}

var known: [(source: String, tokens: [Int])] = []
for source in structs {
    guard let real = realDescription(source) else { continue }
    check(source, real, reportsRefusals: true)
    if source.utf8.count < 3_000, options.mutations > 0 {
        let offsets = Parser.parse(source: source).tokens(viewMode: .sourceAccurate).dropLast().map {
            $0.positionAfterSkippingLeadingTrivia.utf8Offset
        }
        known.append((source, offsets))
    }
}
print(
    "\(fileCount) files, \(counts.equal + counts.refused + counts.different) structs: \(counts.equal) equal, "
        + "\(counts.refused) refused, \(counts.different) different")
let untouched = counts

counts = (0, 0, 0)
var random = SplitMix(state: options.seed)
var invalid = 0
while counts.equal + counts.refused + counts.different < options.mutations, !known.isEmpty {
    let (source, tokens) = known.randomElement(using: &random)!
    let mutant = mutate(source, tokens, &random)
    guard let real = realDescription(mutant) else {
        invalid += 1
        continue
    }
    check(mutant, real, reportsRefusals: true)
}
print(
    "\(options.mutations) mutations (seed \(options.seed), \(invalid) that the compiler refuses, too): \(counts.equal) equal, "
        + "\(counts.refused) refused, \(counts.different) different")
let failed = untouched.refused + untouched.different + counts.different > 0 || structs.isEmpty
exit(failed ? 1 : 0)
