// Checks that an article's code is the code of a test, and that its SQL has run.

import Foundation
import Rowan
import Testing

struct Article {
    /// The code blocks.
    let blocks: [String]
    private let testCode: String

    /// An article of the catalog, and the file of its test.
    init(_ name: String, testedBy file: String = #filePath) throws {
        let test = URL(fileURLWithPath: file)
        let root = test.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = root.appendingPathComponent("Sources/Rowan/Rowan.docc/\(name).md")
        blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        testCode = Self.lines(of: try String(contentsOf: test, encoding: .utf8)).joined(separator: "\n")
    }

    /// Expects that the test contains each block, and that each statement in the blocks' comments has run.
    func check(ran statements: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!blocks.isEmpty, sourceLocation: sourceLocation)
        let ran = Set(statements)
        for block in blocks {
            let code = Self.lines(of: block).joined(separator: "\n")
            #expect(testCode.contains(code), "not in the test:\n\(block)", sourceLocation: sourceLocation)
            for sql in Self.statements(in: block) {
                #expect(ran.contains(sql), "did not run: \(sql)", sourceLocation: sourceLocation)
            }
        }
    }

    /// The statements in the comments of a block: `// SELECT ...`, with its indented continuation lines.
    static func statements(in block: String) -> [String] {
        var statements: [String] = []
        var isOpen = false
        for line in block.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            let keywords = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "CREATE"]
            if line.hasPrefix("// "), keywords.contains(where: { line.dropFirst(3).hasPrefix($0 + " ") }) {
                statements.append(String(line.dropFirst(3)))
                isOpen = true
            } else if isOpen, line.hasPrefix("//   ") {
                statements[statements.count - 1] += " " + line.dropFirst(2).trimmingCharacters(in: .whitespaces)
            } else {
                isOpen = false
            }
        }
        return statements
    }

    /// The non-empty lines, without indentation. A private type matches the article's type.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .map { $0.hasPrefix("private ") ? String($0.dropFirst("private ".count)) : $0 }
            .map { $0.replacingOccurrences(of: " private struct ", with: " struct ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("#expect") }
    }
}

/// The articles' database: authors, books, reviews and awards.
enum Bookshop {
    static let schema = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
        CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL,
            year INTEGER NOT NULL, price INTEGER NOT NULL);
        CREATE INDEX book_author ON book(authorId, year);
        CREATE TABLE review (id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book, stars INTEGER NOT NULL);
        CREATE INDEX review_book ON review(bookId);
        CREATE TABLE award (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, name TEXT NOT NULL);
        CREATE INDEX award_author ON award(authorId);
        INSERT INTO author VALUES (1, 'Melville', 'US'), (2, 'Hugo', 'FR'), (3, 'Sand', 'FR'), (4, 'Nobody', NULL);
        INSERT INTO book VALUES (1, 1, 'Omoo', 1847, 20), (2, 1, 'Moby-Dick', 1851, 10), (3, 2, 'Hernani', 1830, 30),
            (4, 3, 'Indiana', 1832, 15);
        INSERT INTO review VALUES (1, 2, 5), (2, 2, 4), (3, 3, 3);
        INSERT INTO award VALUES (1, 1, 'Gold'), (2, 1, 'Silver'), (3, 2, 'Gold')
        """

    /// Runs the closure with a database of the shop, and returns the statements that ran, with `?` for arguments.
    static func run(_ body: (Database) throws -> Void) throws -> [String] {
        try inLoggedDatabase(schema) { db, log throws in
            _ = log.take()
            try body(db)
            return log.take()
        }
    }
}
