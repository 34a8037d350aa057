// The names that Tab offers.

import Foundation
import RowanCommands

/// How a text can continue.
struct Completion: Equatable {
    /// The part of the text before the cursor that a candidate replaces.
    var typed = ""
    var candidates: [String] = []

    /// What replaces the typed part: what all candidates begin with; nil if nothing is gained.
    var insertion: String? {
        guard var common = candidates.first else { return nil }
        for candidate in candidates.dropFirst() {
            while !candidate.isCompletion(of: common) { common.removeLast() }
        }
        return candidates.count == 1 ? (common == typed ? nil : common) : (common.count > typed.count ? common : nil)
    }

    /// The candidates in columns.
    func list(width: Int) -> String {
        let limit = 200
        let shown = candidates.prefix(limit).map(\.onOneLine)
        let column = (shown.map(\.terminalWidth).max() ?? 0) + 2
        let columnCount = max(1, width / column)
        let rowCount = (shown.count + columnCount - 1) / columnCount
        let rows = (0..<rowCount).map { row in
            let cells = stride(from: row, to: shown.count, by: rowCount).map { shown[$0].padded(to: column) }
            return String(cells.joined().reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        let rest = candidates.count - shown.count
        return rows.joined() + (rest > 0 ? "and \(rest) more\n" : "")
    }
}

/// The names in a database and in SQL.
struct ShellNames: Sendable {
    struct Table: Sendable, Equatable {
        var schema = "main"
        var name: String
        var columns: [String] = []
    }

    var tables: [Table] = []
    var functions: [String] = []
    var pragmas: [String] = []
    /// In upper case.
    var keywords: Set<String> = []

    /// A name as SQL, in quotes if it needs them.
    func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case 48...57, 65...90, 97...122, UInt8(ascii: "_"), 128...255: true
            default: false
            }
        }
        let isWord = isPlain && !name.isEmpty && !(48...57).contains(name.utf8.first ?? 48)
        return isWord && !keywords.contains(name.uppercased()) ? name : name.quotedIdentifier
    }
}

/// Completes SQL and commands.
struct Completer: Sendable {
    let names: ShellNames
    /// The files and folders whose paths begin with a text.
    var files: @Sendable (String) -> [String] = Self.files

    /// Completes the text before the cursor.
    func complete(_ before: String, after: String = "") -> Completion {
        let trimmed = before.drop(while: \.isWhitespace)
        return trimmed.hasPrefix(".") ? completeCommand(String(trimmed)) : completeSQL(before, after)
    }

    // MARK: Commands

    private func completeCommand(_ text: String) -> Completion {
        guard let space = text.firstIndex(of: " ") else {
            return matching(text, DotCommand.all.map { "." + $0.name })
        }
        guard let command = DotCommand.all.first(where: { text[..<space] == "." + $0.name }) else {
            return Completion()
        }
        let rest = String(text[space...].drop { $0 == " " })
        let words = rest.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let word = words.last ?? ""
        switch command.completion {
        case .nothing: return Completion()
        case .sql: return completeSQL(rest, "")
        case .words(let known): return matching(word, known)
        case .files: return Completion(typed: rest, candidates: files(rest))
        case .tables: return matching(word, Array(Set(names.tables.map(\.name))).sorted())
        case .columns:
            guard words.count > 1 else { return matching(word, Array(Set(names.tables.map(\.name))).sorted()) }
            return matching(word, names.tables.filter { $0.name.isSame(as: words[0]) }.flatMap(\.columns))
        }
    }

    private func matching(_ typed: String, _ known: [String]) -> Completion {
        Completion(typed: typed, candidates: known.filter { $0.isCompletion(of: typed) })
    }

    @Sendable private static func files(_ typed: String) -> [String] {
        let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        let path = folder.isEmpty ? "." : (folder as NSString).expandingTildeInPath
        // A folder that can't be read has no candidates.
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let name = typed.dropFirst(folder.count)
        return entries.filter { $0.hasPrefix(name) && (!$0.hasPrefix(".") || name.hasPrefix(".")) }.sorted().map {
            entry in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + entry, isDirectory: &isFolder)
            return folder + entry + (isFolder.boolValue ? "/" : "")
        }
    }

    // MARK: SQL

    private func completeSQL(_ before: String, _ after: String) -> Completion {
        var statement = SQLContext(before)
        guard let typed = statement.typed else { return Completion() }
        statement.addTables(names.tables, after: after)
        let isQuoted = statement.isQuoted
        let prefix = statement.prefix

        func candidates(_ found: [String]) -> Completion {
            var seen: Set<String> = []
            let fitting = found.filter { $0.isCompletion(of: prefix) && seen.insert($0).inserted }
            return Completion(
                typed: typed, candidates: fitting.map { isQuoted ? $0.quotedIdentifier : names.quoted($0) })
        }
        func columns(_ tables: [ShellNames.Table]) -> [String] { tables.flatMap(\.columns) }

        if let qualifier = statement.qualifier {
            if statement.expectsPragma { return words(typed, names.pragmas) }
            let tables = statement.tables(named: qualifier)
            let inSchema = names.tables.filter { $0.schema.isSame(as: qualifier) }
            return candidates(statement.expectsTable || tables.isEmpty ? inSchema.map(\.name) : columns(tables))
        }
        if statement.expectsPragma { return words(typed, names.pragmas) }
        let schemas = Set(names.tables.map(\.schema)).subtracting(["main"]).sorted()
        if statement.expectsTable {
            return candidates(names.tables.filter { $0.schema == "main" }.map(\.name) + schemas)
        }
        let named = candidates(columns(statement.tables))
        // Without a letter, everything would fit.
        guard !prefix.isEmpty else { return named }
        var result = candidates(columns(statement.tables) + names.tables.map(\.name))
        if !isQuoted {
            result.candidates += words(typed, names.functions.map { $0 + "(" } + names.keywords.sorted()).candidates
        }
        result.candidates += candidates(columns(names.tables)).candidates.filter { !result.candidates.contains($0) }
        return result
    }

    /// Words of SQL, in the case of what was typed.
    private func words(_ typed: String, _ known: [String]) -> Completion {
        let isLowercase = typed.isEmpty || typed.contains(where: \.isLowercase)
        return Completion(
            typed: typed,
            candidates: known.filter { $0.isCompletion(of: typed) }
                .map { isLowercase ? $0.lowercased() : $0.uppercased() })
    }
}

extension String {
    fileprivate func isCompletion(of typed: String) -> Bool { lowercased().hasPrefix(typed.lowercased()) }
    func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }
}
