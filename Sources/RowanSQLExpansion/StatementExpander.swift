// `#sql("...")`: SQL that SQLite has checked.

public import RowanPluginMessages
import RowanRecordSyntax

/// Expands `#sql`. It keeps the schemas open: use one instance for all expansions.
public final class StatementExpander {
    private let files = SchemaFiles()

    public init() {}

    /// The literal, or the errors that SQLite finds in it.
    public func expand(_ expansion: FreestandingExpansion) -> PluginAnswer {
        let piece = expansion.syntax
        do throws(Problem) {
            return .expansion(try source(expansion), [])
        } catch {
            return .expansion(nil, [error.diagnostic(piece)])
        }
    }

    private func source(_ expansion: FreestandingExpansion) throws(Problem) -> String {
        let schema: SchemaDatabase
        let file = expansion.syntax.location.fileName
        // The compiler uses this name for the expansions of other macros.
        guard !file.hasPrefix("@__swiftmacro") else {
            throw Problem(
                "#sql can't find its 'schema.sql' inside of another macro: write it before, as a constant", at: 0)
        }
        do throws(SchemaFiles.Failure) { schema = try files.schema(of: file) } catch {
            throw Problem(error.message, at: 0)
        }
        let types = (expansion.lexicalContext ?? []).compactMap { typeName($0.source) }
        let literal = try StatementLiteral(expansion.syntax.source, types: types, recordTables: schema.recordTables)
        try literal.checkPlaces()
        let (finding, statements) = schema.check(literal.sql)
        if let finding { throw problem(finding, literal) }
        guard statements > 0 else {
            throw Problem("there is no statement in this SQL: write one", at: literal.places[0])
        }
        // A request can't consist of several statements; only an SQL literal can.
        let function = statements == 1 ? "_checkedSQL" : "_checkedStatements"
        return "\(function)(\(literal.source), _SchemaStamp.self)"
    }

    private func problem(_ finding: SchemaDatabase.Finding, _ literal: StatementLiteral) -> Problem {
        // Since 3.41, SQLite suggests writing an unknown name as text.
        var message = "SQLite: " + (finding.message.split(separator: " - should this be").first ?? "")
        var fix: Problem.Fix?
        let offset = finding.offset
        if let hole = literal.holes.first(where: { $0.range.contains(offset) })?.hole {
            switch hole {
            case .table(_, let type):
                message +=
                    ". '\(type)' stands for this table: if it has another name, declare it in schema.sql with "
                    + "'\(SchemaDirective.mark) record \(type) <table>'"
            case .column:
                message += ". #sql takes the name from the member: if the column has another name, write it as text"
            case .value, .list: break
            }
        } else if let word = finding.unknown, let suggestion = finding.suggestion {
            message += ". Is it '\(suggestion)'?"
            let (start, last) = (literal.places[word.range.lowerBound], literal.places[word.range.upperBound - 1])
            // Not if escapes or quotes are part of the name.
            if last - start == word.range.count - 1, word.text.utf8.count == word.range.count, isPlain(suggestion) {
                fix = Problem.Fix(message: "write '\(suggestion)'", start: start, end: last + 1, text: suggestion)
            }
        }
        return Problem(message, at: literal.places[offset], fix: fix)
    }

    private func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "_") }
    }

    /// The name of the type that is declared or extended; nil for a function.
    private func typeName(_ declaration: String) -> String? {
        // A declaration that can't be read isn't a type, so `Self` is an error.
        guard var tokens = (try? Lexer.tokens(of: declaration))?[...] else { return nil }
        func skipArguments() {
            guard tokens.first?.text == "(" else { return }
            var depth = 0
            while let token = tokens.popFirst() {
                depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0
                if depth == 0 { return }
            }
        }
        // Attributes and modifiers come first: `@MainActor`, `private(set)`.
        while let token = tokens.popFirst() {
            if token.text == "@" {
                tokens = tokens.dropFirst()
                while tokens.first?.text == "." { tokens = tokens.dropFirst(2) }
            } else if Self.keywords.contains(token.text) {
                // `class func` is a function.
                if token.text == "class", let next = tokens.first?.text, Self.members.contains(next) { return nil }
                break
            } else if token.kind != .word || Self.members.contains(token.text) {
                return nil
            }
            skipArguments()
        }
        // `App.Place` is the type `Place`.
        while tokens.dropFirst().first?.text == "." { tokens = tokens.dropFirst(2) }
        return tokens.first?.text.plain
    }

    private static let keywords: Set = ["struct", "class", "enum", "actor", "extension"]
    private static let members: Set = ["func", "var", "let", "init", "deinit", "subscript"]
}

extension SchemaFiles.Failure {
    fileprivate var message: String {
        switch self {
        case .missing:
            "there is no '\(SchemaFiles.fileName)' in the folder of this file, nor in one above: write it with "
                + "DatabaseMigrator.writeSchema(to:)"
        case .unreadable(let path, let reason): "'\(path)' can't be read: \(reason)"
        case .invalid(let path, let error): "\(path):\(error.line): \(error.message)"
        }
    }
}
