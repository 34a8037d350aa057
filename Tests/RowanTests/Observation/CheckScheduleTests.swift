// The schedule for detecting commits by other processes.

import Testing

@testable import Rowan

struct CheckScheduleTests {
    private typealias Pause = CheckSchedule.Pause

    @Test func checksFollowAWriteAtGrowingIntervals() {
        var schedule = CheckSchedule()
        var delays: [Int] = []
        let checksFirst = schedule.fileDidChange()
        while let pause = schedule.checkDidEnd() {
            delays.append(pause.delay)
            let checks = schedule.pauseDidEnd(pause)
            #expect(checks)
        }
        let checksAgain = schedule.fileDidChange()
        #expect(checksFirst && checksAgain)
        // A commit whose fsync takes minutes is detected at most two seconds after its end.
        #expect(delays.prefix(13) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 2048])
        #expect(delays.dropFirst(11).allSatisfy { $0 == 2048 })
        #expect((600_000...604_096).contains(delays.reduce(0, +)))
    }

    @Test func anEndlessScheduleChecksForever() {
        var schedule = CheckSchedule()
        schedule.isEndless = true
        for _ in 0..<10_000 {
            guard let pause = schedule.checkDidEnd() else {
                Issue.record("the checks end")
                return
            }
            #expect(pause.delay <= 2_048)
            let checks = schedule.pauseDidEnd(pause)
            #expect(checks)
        }
    }

    /// Otherwise, a commit could wait for the end of the pause, up to half a second.
    @Test func aWriteCutsALongPause() throws {
        var schedule = CheckSchedule()
        _ = schedule.fileDidChange()
        var last: Pause?
        while let pause = schedule.checkDidEnd() {
            last = pause
            if pause.delay == 4096 { break }
            _ = schedule.pauseDidEnd(pause)
        }
        let pause = try #require(last)
        let checksNow = schedule.fileDidChange()
        let checksAtItsEnd = schedule.pauseDidEnd(pause)
        let next = schedule.checkDidEnd()
        #expect(checksNow)
        #expect(!checksAtItsEnd)
        #expect(next?.delay == 1)
    }

    @Test func writesDuringACheckOrAShortPauseWaitForIt() throws {
        var schedule = CheckSchedule()
        _ = schedule.fileDidChange()
        let checksDuringACheck = schedule.fileDidChange()
        let first = schedule.checkDidEnd()
        let pause = try #require(first)
        let checksDuringAPause = schedule.fileDidChange()
        let checksAtItsEnd = schedule.pauseDidEnd(pause)
        let next = schedule.checkDidEnd()
        #expect(!checksDuringACheck && !checksDuringAPause && checksAtItsEnd)
        #expect([pause.delay, next?.delay] == [1, 1])
    }
}
