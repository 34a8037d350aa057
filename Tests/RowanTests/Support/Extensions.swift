// Extensions of SQLite installed by `Scripts/extensions`. Tests that need them are skipped if they are missing.

import Foundation
import Rowan
import Testing

enum Extensions {
    private static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
    .appendingPathComponent(".build/extensions")

    private static func path(_ name: String) -> String? {
        let path = folder.appendingPathComponent(name).path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// The library of sqlite-vec.
    static let vec = path("sqlite_vec/vec0.so")
    /// The library of Litestream's virtual file system.
    static let litestreamVFS = path("litestream_vfs/litestream-vfs.so")
    /// The Litestream program.
    static let litestream = path("bin/litestream")
}

extension Configuration {
    /// Connections with sqlite-vec.
    static var withVec: Configuration {
        var configuration = Configuration()
        configuration.allowsExtensions = true
        configuration.prepareDatabase { db in try db.loadExtension(path: #require(Extensions.vec)) }
        return configuration
    }
}

extension Trait where Self == ConditionTrait {
    static var needsVec: Self { .enabled(if: Extensions.vec != nil, "Scripts/extensions has not installed sqlite-vec") }
}
