// corpus [--self-test] [--mutations N] [--seed N] [--show N] FOLDER...
//
// Compares the parser of RowanRecords with the compiler's, for every struct below the folders and for mutations of
// them. Exits with 1 if they differ, or if our parser rejects an unmodified struct; rejected mutations are counted.
// --self-test breaks our model on purpose and exits with 1 if the comparison misses it.

import Foundation
import RowanRecordSyntax
import SwiftParser
import SwiftSyntax

struct Options {
    var isSelfTest = false
    var mutations = 0
    var seed: UInt64 = 1
    var shown = 10
    var folders: [String] = []

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--self-test": isSelfTest = true
            case "--mutations": mutations = rest.popFirst().flatMap { Int($0) } ?? 0
            case "--seed": seed = rest.popFirst().flatMap { UInt64($0) } ?? 1
            case "--show": shown = rest.popFirst().flatMap { Int($0) } ?? 10
            default: folders.append(argument)
            }
        }
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

let options = Options(Array(CommandLine.arguments.dropFirst()))
if options.isSelfTest { exit(selfTest() ? 0 : 1) }

var counts = (equal: 0, refused: 0, different: 0)
@MainActor func report(_ kind: String, _ source: String, _ detail: String) {
    guard counts.refused + counts.different <= options.shown else { return }
    print("--- \(kind)\n\(source.prefix(3_000))\n--- \(detail)\n")
    fflush(nil)
}
@MainActor func check(_ source: String, _ real: [String]) {
    switch compare(source, real) {
    case .equal: counts.equal += 1
    case .refused(let error):
        counts.refused += 1
        let place = Array(source.utf8)[max(0, error.offset - 60)..<min(source.utf8.count, error.offset + 40)]
        report("refused", source, "\(error.message) at \(error.offset): \(String(decoding: place, as: UTF8.self))")
    case .different(let real, let own):
        counts.different += 1
        report("different", source, "real: \(real)\nown:  \(own)")
    }
}

var subjects: [Subject] = []
var fileCount = 0
for file in options.folders.flatMap(swiftFiles) {
    guard let source = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
    fileCount += 1
    let finder = StructFinder(viewMode: .sourceAccurate)
    finder.walk(Parser.parse(source: source))
    for source in finder.sources {
        guard let real = realDescription(source) else { continue }
        check(source, real)
        if options.mutations > 0, source.utf8.count < 3_000, let subject = Subject(source) { subjects.append(subject) }
    }
}
let untouched = counts
let structCount = counts.equal + counts.refused + counts.different
print(
    "\(fileCount) files, \(structCount) structs: \(counts.equal) equal, \(counts.refused) refused, "
        + "\(counts.different) different")

counts = (0, 0, 0)
var random = SplitMix(state: options.seed)
var invalid = 0
while counts.equal + counts.refused + counts.different < options.mutations, !subjects.isEmpty {
    let mutant = subjects.randomElement(using: &random)!.mutated(with: subjects, &random)
    if let real = realDescription(mutant) { check(mutant, real) } else { invalid += 1 }
}
if options.mutations > 0 {
    let rate = Double(counts.refused) * 100 / Double(options.mutations)
    print(
        "\(options.mutations) mutations (seed \(options.seed), \(invalid) that the compiler refuses, too): "
            + "\(counts.equal) equal, \(counts.refused) refused (\(String(format: "%.2f", rate)) %), "
            + "\(counts.different) different")
}
exit(untouched.refused + untouched.different + counts.different > 0 || structCount == 0 ? 1 : 0)
