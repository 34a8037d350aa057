import Harness
import Rowan

/// A text of the full-text table.
struct Page: PersistableRecord {
    var title: String
    var body: String

    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.title] = title
        container[Columns.body] = body
    }
}

/// Inserts texts into a full-text table.
extension Assignment {
    func insertPages() throws -> any Run {
        let pages = samples.pages(count).map { Page(title: $0.title, body: $0.body) }
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.write { db in
                for page in pages { try page.insert(db) }
            }
        } digest: { _, _ in
        } close: {
            try queue.close()
        }
    }
}

/// A result of a vector search.
struct Neighbor: FetchableRecord, Digestible {
    var id: Int64
    var distance: Double

    init(row: Row) {
        id = row["id"]
        distance = row["distance"]
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(distance)
    }
}

/// A result of a full-text search.
struct Finding: FetchableRecord, Digestible {
    var title: String
    var excerpt: String

    init(row: Row) {
        title = row["title"]
        excerpt = row["excerpt"]
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(title)
        checksum.add(excerpt)
    }
}
