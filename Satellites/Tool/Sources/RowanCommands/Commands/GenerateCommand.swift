import ArgumentParser
import Foundation
import Rowan

struct GenerateCommand: AsyncParsableCommand {
    enum Style: String, ExpressibleByArgument, CaseIterable { case record, codable }

    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes record types in Swift for the tables and views.",
        discussion: """
            rowan generate players.sqlite --into Sources/App/Records
            rowan generate players.sqlite --into Sources/App/Records --check

            One file for each table, with its columns, its key, and associations from its foreign keys. A column without a type \
            has that of its values, as do dates and UUIDs in another form than records store them. Only files that this \
            command has written are replaced or removed. With --check, nothing is written, and the exit code is 1 if a file is \
            not what the command would write.
            """)

    @OptionGroup var file: DatabaseFile
    @Option(help: "The folder of the files.", completion: .directory) var into: String
    @Option(help: "record, for the macro @Record of RowanRecords, which is the default, or codable.") var style: Style?
    @Flag(help: "Make the types public.") var `public` = false
    @Option(help: "The name of a type, as TABLE=Type. May be repeated.") var name: [String] = []
    @Option(help: "The type of a property, as TABLE.COLUMN=Type. May be repeated.") var type: [String] = []
    @Option(help: "A table or view to leave out. May be repeated.") var exclude: [String] = []
    @Option(
        help:
            "A file with more of --name, --type, --exclude, --style and --public, one per line, such as: --name players=Player",
        completion: .file())
    var options: String?
    @Flag(help: "Write nothing, and fail if files are stale.") var check = false

    func run() async throws {
        var choices = GenerationChoices()
        if let options { try choices.read(file: options) }
        if let style { choices.style = style }
        if `public` { choices.isPublic = true }
        for name in name { try choices.add("--name", name) }
        for type in type { try choices.add("--type", type) }
        for table in exclude { try choices.add("--exclude", table) }
        let ready = choices
        let files = try await file.read { try RecordGenerator($0, ready).files() }
        try GeneratedFolder(path: into).update(files, checks: check)
    }
}

/// The folder of generated files.
private struct GeneratedFolder {
    let path: String

    /// - Throws: `Findings` if the files are stale and must not be written; a `Failure` if another file has the name of one.
    func update(_ files: [String: String], checks: Bool) throws {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard !manager.fileExists(atPath: path, isDirectory: &isFolder) || isFolder.boolValue else {
            throw Failure(message: "\(path) is not a folder: pass one as --into")
        }
        // Nil for a missing file.
        func text(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
        let existing = (manager.fileExists(atPath: path) ? try manager.contentsOfDirectory(atPath: path) : [])
            .filter { $0.hasSuffix(".swift") }
        for name in files.keys.sorted() where manager.fileExists(atPath: "\(path)/\(name)") {
            guard text(name)?.hasPrefix(RecordGenerator.mark) == true else {
                throw Failure(
                    message:
                        "\(path)/\(name) was not written by this command: move it, or give the type another name with --name"
                )
            }
        }
        let removed = existing.filter { files[$0] == nil && text($0)?.hasPrefix(RecordGenerator.mark) == true }.sorted()
        let changed = files.keys.filter { text($0) != files[$0] }.sorted()
        if !checks {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in changed { try Data((files[name] ?? "").utf8).write(to: URL(filePath: "\(path)/\(name)")) }
            for name in removed { try manager.removeItem(atPath: "\(path)/\(name)") }
        }
        for name in changed { print("\(checks ? "stale" : "wrote") \(path)/\(name)".forTerminal) }
        for name in removed { print("\(checks ? "stale" : "removed") \(path)/\(name)".forTerminal) }
        if checks, !changed.isEmpty || !removed.isEmpty { throw Findings() }
    }
}

/// What the user chooses.
struct GenerationChoices: Sendable {
    var style = GenerateCommand.Style.record
    var isPublic = false
    /// By lower-case names.
    private(set) var names: [String: String] = [:]
    private(set) var types: [String: String] = [:]
    private(set) var excluded: Set<String> = []

    mutating func read(file: String) throws {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw Failure(message: "can't read \(file)")
        }
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let words = line.split(separator: " ", maxSplits: 1)
            let value = words.count == 2 ? words[1].trimmingCharacters(in: .whitespaces) : ""
            do { try add(String(words[0]), value) } catch let failure as Failure {
                throw Failure.usage("\(file): \(failure.message)")
            }
        }
    }

    mutating func add(_ option: String, _ value: String) throws {
        let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
        switch (option, parts.count) {
        case ("--public", 0): isPublic = true
        case ("--style", 1) where GenerateCommand.Style(rawValue: value) != nil:
            style = GenerateCommand.Style(rawValue: value) ?? style
        case ("--exclude", 1...): excluded.insert(value.lowercased())
        case ("--name", 2):
            // It is also the name of a file.
            guard SwiftNames.isIdentifier(parts[1]) else {
                throw Failure.usage("--name \(value): \(parts[1]) can't be the name of a type")
            }
            names[parts[0].lowercased()] = parts[1]
        case ("--type", 2): types[parts[0].lowercased()] = parts[1]
        default:
            throw Failure.usage(
                "\(option) \(value): pass --name TABLE=Type, --type TABLE.COLUMN=Type, --exclude TABLE, --style STYLE, or "
                    + "--public")
        }
    }
}
