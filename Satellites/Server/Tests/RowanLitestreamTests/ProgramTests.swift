// Locating the program.

import Foundation
@testable import RowanLitestream
import Testing

struct ProgramTests {
    @Test func foldersOfPath() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("path-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["no", "folder/litestream", "file", "program"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        // A folder and a file that isn't executable are not the program.
        try Data("#!/bin/sh\n".utf8).write(to: folder.appendingPathComponent("file/litestream"))
        let program = folder.appendingPathComponent("program/litestream")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let folders = ["no", "folder", "file", "program"].map { folder.appendingPathComponent($0).path }
        #expect(LitestreamProgram.find(in: folders.joined(separator: ":")) == program.path)
        #expect(LitestreamProgram.find(in: folders.dropLast().joined(separator: ":")) == nil)
        #expect(LitestreamProgram.find(in: "") == nil)
        #expect(try LitestreamProgram.at(program.path).resolvedPath() == program.path)
    }
}
