import Foundation
import Rowan
import RowanJobs
import RowanJobsTestKit
import Testing

@Suite struct ScheduleTests {
    private func scheduled(
        _ schedule: JobSchedule, _ database: DatabaseQueue? = nil, clock: ManualJobClock? = nil
    ) async throws -> JobTest<DatabaseQueue> {
        var test = try await JobTest(database ?? DatabaseQueue()) {
            $0.schedule("notes", schedule) { Note(text: "x") }
        }
        if let clock { test.jobs.clock = clock }
        return test
    }

    @Test func aScheduleEnqueuesItsJobs() async throws {
        let test = try await scheduled(.daily(hour: 3, minute: 30, in: .gmt))
        try await test.runAll()
        #expect(try await test.notes.isEmpty)
        for day in 1...3 {
            test.clock.set(Date(timeIntervalSince1970: 1_735_689_600 + Double(day - 1) * 86_400 + 12_599.999))
            try await test.runAll()
            #expect(try await test.notes.count == day - 1)
            test.clock.advance(by: .milliseconds(1))
            try await test.runAll()
            try await test.runAll()
            #expect(try await test.notes.count == day)
        }
    }

    @Test func missedTimesRunOnce() async throws {
        let test = try await scheduled(.every(.seconds(60)))
        try await test.runAll()
        test.clock.advance(by: .seconds(3_000))
        try await test.runAll()
        #expect(try await test.notes.count == 1)
        // The times keep their distance from the first one.
        #expect(try await test.rows("SELECT next - 1735689600000 FROM rowan_job_schedule") == ["3060000"])
        test.clock.advance(by: .seconds(60))
        try await test.runAll()
        #expect(try await test.notes.count == 2)
    }

    @Test func aRestartNeitherLosesNorRepeatsATime() async throws {
        let clock = ManualJobClock()
        let database = try DatabaseQueue()
        for run in 0..<10 {
            // Each run is a new program.
            let test = try await scheduled(.every(.seconds(60)), database, clock: clock)
            try await test.runAll()
            try await test.runAll()
            #expect(try await test.notes.count == run / 2)
            clock.advance(by: .seconds(30))
        }
    }

    @Test func aTimeThatTheClockShowsAgainIsNotRepeated() async throws {
        let test = try await scheduled(.daily(hour: 3, in: .gmt))
        try await test.runAll()
        test.clock.advance(by: .seconds(3 * 3_600))
        try await test.runAll()
        #expect(try await test.notes.count == 1)
        test.clock.set(test.clock.now - 3_600)
        try await test.runAll()
        test.clock.advance(by: .seconds(3_600))
        try await test.runAll()
        #expect(try await test.notes.count == 1)
        test.clock.advance(by: .seconds(86_400))
        try await test.runAll()
        #expect(try await test.notes.count == 2)
    }

    @Test func aScheduleSurvivesAYearThatWasNone() async throws {
        let test = try await scheduled(.daily(hour: 3, in: .gmt))
        try await test.runAll()
        let now = test.clock.now
        test.clock.set(now + 365 * 86_400)
        try await test.runAll()
        #expect(try await test.notes.count == 1)
        test.clock.set(now)
        try await test.runAll()
        test.clock.advance(by: .seconds(3 * 3_600))
        try await test.runAll()
        #expect(try await test.notes.count == 2)
    }

    @Test func anotherDefinitionBeginsAnew() async throws {
        let (clock, database) = (ManualJobClock(), try DatabaseQueue())
        try await scheduled(.every(.seconds(86_400)), database, clock: clock).runAll()
        let test = try await scheduled(.every(.seconds(10)), database, clock: clock)
        try await test.runAll()
        clock.advance(by: .seconds(10))
        try await test.runAll()
        #expect(try await test.notes.count == 1)
    }

    @Test func optionsOfASchedule() async throws {
        let test = try await JobTest {
            $0.schedule("notes", .every(.seconds(1)), .unique(by: "k"), .priority(4)) { Note(text: "x") }
            $0.queue("default", concurrency: 1)
            $0.register(Work.self) { _, _ in }
        }
        try await test.runAll()
        test.clock.advance(by: .seconds(1))
        try await test.enqueue(Note(text: "unique"), .unique(by: "k"))
        try await test.runAll()
        #expect(try await test.notes == ["unique"])
    }

    /// A job that can't be encoded holds no other one up.
    @Test func aScheduleWhoseJobIsNotEncoded() async throws {
        struct Broken: JobPayload { var number = Double.nan }
        let test = try await JobTest {
            $0.schedule("broken", .every(.seconds(1))) { Broken() }
            $0.schedule("other", .every(.seconds(1))) { Note(text: "other") }
        }
        try await test.runAll()
        test.clock.advance(by: .seconds(1))
        try await test.enqueue(Note(text: "a"))
        try await test.runAll()
        #expect(try await test.notes.sorted() == ["a", "other"])
    }
}
