// Writes a type whose name depends on the contents of files: RowanSchemaStamp OUTPUT FILE ...
//
// Each expansion of #sql names the type. When its name changes, the compiler recompiles these files.

import Foundation

guard CommandLine.arguments.count > 2 else {
    FileHandle.standardError.write(Data("usage: RowanSchemaStamp OUTPUT FILE ...\n".utf8))
    exit(2)
}

do {
    // 64-bit FNV-1a, which detects edits but provides no security.
    // <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for path in CommandLine.arguments.dropFirst(2) {
        for byte in try Data(contentsOf: URL(fileURLWithPath: path)) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // The end of a file is included.
        hash = (hash ^ 0xFF) &* 0x100_0000_01b3
    }
    let name = "_SchemaStamp_" + String(hash, radix: 16)
    let output = URL(fileURLWithPath: CommandLine.arguments[1])
    // A rewritten file is compiled again. An unreadable file is rewritten.
    if (try? String(contentsOf: output, encoding: .utf8))?.contains("enum \(name) ") != true {
        let source = """
            // The plugin RowanSchema writes this file, so that an edit of schema.sql compiles each #sql again.

            enum \(name) {}
            typealias _SchemaStamp = \(name)

            """
        try Data(source.utf8).write(to: output, options: .atomic)
    }
} catch {
    FileHandle.standardError.write(Data("the schema can't be read, or its stamp can't be written: \(error)\n".utf8))
    exit(1)
}
