import Rowan
import RowanJobs
import RowanJobsTestKit
import Testing

struct Note: Job {
    let text: String
    func run(_ context: JobContext) async throws {
        try await context.write { db in try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text]) }
    }
}

@Suite struct FirstTests {
    @Test func runs() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try Jobs.createTables(db)
            try Jobs.createTables(db)
            try db.execute(sql: "CREATE TABLE note (text TEXT)")
        }
        var jobs = Jobs()
        jobs.register(Note.self)
        try await queue.write { [jobs] db in
            for index in 0..<20 { try jobs.enqueue(Note(text: "\(index)"), in: db) }
        }
        let report = try await jobs.runAll(on: queue)
        #expect(report.succeeded == 20)
        #expect(report.errors.isEmpty)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 20)
    }
}
