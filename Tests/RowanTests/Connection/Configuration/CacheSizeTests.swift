// The memory of connections: page caches, and memory-mapped files.

import Rowan
import Testing

@Suite struct CacheSizeTests {
    private func pragma(_ name: String, _ reader: some DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "PRAGMA \(name)") }
    }
    private func writerPragma(_ name: String, _ writer: some DatabaseWriter) throws -> Int? {
        try writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    @Test(arguments: ConnectionKind.allCases) func defaults(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, Configuration())
        #expect(try writerPragma("cache_size", writer) == -16_384)
        #expect(try pragma("cache_size", writer) == (kind.isConcurrent ? -4_096 : -16_384))
        if let pool = writer as? DatabasePool {
            #expect(try pragma("cache_size", pool.makeSnapshot()) == -4_096)
            #expect(try pragma("cache_size", pool.makeSnapshotPool()) == -4_096)
        }
    }

    @Test func sizes() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.cacheSize = 64 << 20
        configuration.readerCacheSize = nil
        configuration.mmapSize = 1 << 20
        let pool = try DatabasePool(path: folder.path("mapped.sqlite"), configuration: configuration)
        #expect(try writerPragma("cache_size", pool) == -65_536)
        #expect(try pragma("cache_size", pool) != -4_096)
        #expect(try writerPragma("mmap_size", pool) == 1 << 20)
        #expect(try pragma("mmap_size", pool) == 1 << 20)
        configuration.cacheSize = -5
        configuration.mmapSize = -5
        #expect(try writerPragma("cache_size", DatabaseQueue(configuration: configuration)) == -1)
        configuration.cacheSize = .max
        #expect(try writerPragma("cache_size", DatabaseQueue(configuration: configuration)) == -Int(Int32.max))
        // The program's own pragmas run later.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA mmap_size = 4096; PRAGMA cache_size = -77") }
        let queue = try DatabaseQueue(path: folder.path("other.sqlite"), configuration: configuration)
        #expect(try writerPragma("cache_size", queue) == -77)
        #expect(try writerPragma("mmap_size", queue) == 4096)
    }
}
