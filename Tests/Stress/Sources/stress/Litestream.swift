// A machine that replicates with Litestream dies while its program writes, and another machine restores. Confirmed
// transactions are there, followed by a prefix of the others, none of them torn. Committed but unsent transactions are
// lost, and measured.

import Foundation
import Rowan
import RowanLitestream

extension Part {
    static let litestream = Part(
        name: "litestream",
        summary: "machines end while Litestream replicates: another one restores what was confirmed",
        weight: 2
    ) { run in
        do { _ = try LitestreamWriter.replica("").program.resolvedPath() } catch {
            say("litestream: SKIPPED: \(error)")
            // Otherwise another round would start and report the same.
            run.didCase(run.casesLeft ?? 0)
            while !run.isOver { usleep(10_000) }
            return
        }
        var machines = Machines(folder: run.folder)
        repeat {
            run.note("machine \(machines.number)")
            try await machines.next(run)
            run.didCase()
        } while !run.isOver || machines.number < 4 && run.casesLeft != 0
        say("litestream, with frequent confirmations: \(machines.frequent)")
        say("litestream, left alone: \(machines.rare)")
    }
}

/// The way in which a machine dies.
private enum Ending: CaseIterable {
    /// The program and Litestream are killed simultaneously, and the disk is lost.
    case machine
    /// Litestream is killed and restarted by the program; the machine dies later.
    case litestreamThenMachine
    /// The program is killed. Litestream sends the rest and exits; then the disk is lost.
    case program
}

/// Machines, each of which continues with the replica of the previous one.
private struct Machines {
    let folder: TemporaryFolder
    var number = 0
    /// The losses of programs that often request a confirmation, which sends everything pending.
    var frequent = LossWindow()
    /// The losses of programs that rarely request one.
    var rare = LossWindow()

    /// Each tenth machine starts a new database: a single one would grow and take most of the time.
    private var replica: LitestreamReplica {
        LitestreamWriter.replica("file://\(folder.path("replica\(number / 10)"))")
    }

    /// Starts a machine, kills it, and checks what another one restores.
    mutating func next(_ run: Run) async throws {
        number += 1
        let disk = folder.path("machine\(number)")
        let path = "\(disk)/places.sqlite"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try await replica.restoreIfMissing(to: path)
        let ending = Ending.allCases[number % 3]
        let isFrequent = number.isMultiple(of: 2)
        let witness = try end(run, path, ending, pauses: isFrequent ? ["50", "700"] : ["1500", "3000"])
        try FileManager.default.removeItem(atPath: disk)

        let restored = folder.path("restored\(number)/places.sqlite")
        do {
            let outcome = try await replica.restoreIfMissing(to: restored)
            run.expect(outcome == .restored, "\(ending): restored: \(outcome)")
        } catch { throw StressFailure("machine \(number), \(ending), \(witness.synced) was confirmed: \(error)") }
        let last = try checkWhole(run, restored, "\(ending)")
        run.expect(last >= witness.synced, "\(ending): \(witness.synced) was confirmed, and \(last) restored")
        run.expect(last <= witness.committed + 1, "\(ending): \(last) was restored, and never committed")
        if ending == .program {
            run.expect(last >= witness.committed, "\(ending): \(witness.committed) was committed, and \(last) restored")
        } else if isFrequent {
            frequent.add(witness, last)
        } else {
            rare.add(witness, last)
        }
        run.count("\(ending)")
        run.count("commits", witness.times.count)
        run.count("confirmations", witness.confirmations.count)
        let distance = try await checkMoment(run, witness)
        if let distance { if isFrequent { frequent.moments.append(distance) } else { rare.moments.append(distance) } }
        try FileManager.default.removeItem(atPath: folder.path("restored\(number)"))
    }

    /// Runs a machine's program until its end.
    private func end(_ run: Run, _ path: String, _ ending: Ending, pauses: [String]) throws -> Witness {
        let seed = UInt64.random(in: 0...UInt64.max, using: &run.random)
        let (process, output) = try Children.start(["child-litestream", path, replica.url] + pauses + ["\(seed)"])
        var end = Date.distantFuture
        var middle = Date.distantFuture
        var witness = Witness()
        var hasEnded = false
        while true {
            let data = output.availableData
            guard !data.isEmpty else { break }
            witness.read(data)
            if witness.litestream > 0, end == .distantFuture {
                middle = Date(timeIntervalSinceNow: Double(run.number(100...500)) / 1_000)
                end = Date(timeIntervalSinceNow: Double(run.number(500...3_000)) / 1_000)
            }
            if ending == .litestreamThenMachine, Date() >= middle {
                kill(witness.litestream, SIGKILL)
                middle = .distantFuture
            }
            guard Date() >= end, !hasEnded else { continue }
            hasEnded = true
            witness.end = LitestreamWriter.now
            // The restarted process has another id.
            if ending != .program { for process in Self.litestreams(path) { kill(process, SIGKILL) } }
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
        run.expect(hasEnded, "\(ending): the program ended by itself: \(witness.rest)")
        let isAlone = eventuallyLong { Self.litestreams(path).isEmpty }
        run.expect(isAlone, "\(ending): Litestream has outlived the program")
        for process in Self.litestreams(path) { kill(process, SIGKILL) }
        return witness
    }

    /// The processes that replicate a database, identified by an environment variable set by Rowan.
    private static func litestreams(_ path: String) -> [pid_t] {
        // The folder of a process that has exited in the meantime can't be read.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            guard let arguments = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/cmdline")),
                String(decoding: arguments, as: UTF8.self).contains("litestream\0replicate"),
                let variables = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/environ"))
            else { return false }
            return String(decoding: variables, as: UTF8.self).contains("\"\(path)\"")
        }
    }

    /// Checks that the database passes SQLite's integrity check, and contains all transactions up to some number, each
    /// as a whole.
    ///
    /// - Returns: the number of the last transaction.
    private func checkWhole(_ run: Run, _ path: String, _ what: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        return try queue.read { db in
            let integrity = try db.text("PRAGMA integrity_check")
            run.expect(integrity == "ok", "\(what): integrity_check: \(integrity)")
            let last = try db.int("SELECT ifnull(max(n), 0) FROM entry")
            let count = try db.int("SELECT count(*) FROM entry")
            run.expect(count == last, "\(what): \(count) transactions up to \(last)")
            let torn = try db.int(
                """
                SELECT count(*) FROM entry WHERE parts <> (
                    SELECT count(*) FROM part WHERE part.n = entry.n AND length(payload) = entry.n * 7 % 900)
                """)
            run.expect(torn == 0, "\(what): \(torn) transactions are torn")
            let strays = try db.int("SELECT count(*) FROM part WHERE n NOT IN (SELECT n FROM entry)")
            run.expect(strays == 0, "\(what): \(strays) rows without a transaction")
            return last
        }
    }

    /// Checks a second at which the machine was running: its state contains everything confirmed before, and nothing
    /// committed later.
    ///
    /// - Returns: the age of the state's last commit at that second, in milliseconds.
    private func checkMoment(_ run: Run, _ witness: Witness) async throws -> Int? {
        guard let begin = witness.confirmations.first?.time, witness.end / 1_000_000 > begin / 1_000_000 else {
            return nil
        }
        let second = run.number((begin / 1_000_000 + 1)...(witness.end / 1_000_000))
        let path = folder.path("restored\(number)/moment.sqlite")
        try await replica.restore(to: path, at: Date(timeIntervalSince1970: Double(second)))
        let last = try checkWhole(run, path, "moment")
        // Litestream's times are in milliseconds.
        let confirmed = witness.confirmations.last { $0.time < second * 1_000_000 - 1_000 }?.number ?? 0
        run.expect(last >= confirmed, "moment: \(confirmed) was confirmed before, and \(last) restored")
        let committed = witness.times.values.count { $0 <= second * 1_000_000 } + witness.firstNumber - 1
        run.expect(last <= committed, "moment: \(last) was restored, and \(committed) committed before")
        run.count("moments")
        return witness.times[last].map { (second * 1_000_000 - $0) / 1_000 }
    }
}

/// The lines that a program wrote before it was killed.
private struct Witness {
    var litestream: pid_t = 0
    /// The times of the commits, in microseconds, by number.
    var times: [Int: Int] = [:]
    var committed = 0
    var confirmations: [(number: Int, time: Int)] = []
    var firstNumber = Int.max
    var end = 0
    private(set) var rest = ""

    var synced: Int { confirmations.last?.number ?? 0 }

    mutating func read(_ data: Data) {
        rest += String(decoding: data, as: UTF8.self)
        while let index = rest.firstIndex(of: "\n") {
            let words = rest[..<index].split(separator: " ")
            rest.removeSubrange(...index)
            guard words.count == 3, let number = Int(words[1]), let time = Int(words[2]) else { continue }
            switch words[0] {
            case "litestream": litestream = pid_t(number)
            case "committed":
                times[number] = time
                committed = number
                firstNumber = min(firstNumber, number)
            case "synced": confirmations.append((number, time))
            default: break
            }
        }
    }
}

/// The losses of machines: transactions, and the age of the oldest one.
private struct LossWindow: CustomStringConvertible {
    private var transactions: [Int] = []
    private var milliseconds: [Int] = []
    /// The age of the last restored commit at a second, in milliseconds.
    var moments: [Int] = []

    mutating func add(_ witness: Witness, _ last: Int) {
        transactions.append(max(0, witness.committed - last))
        milliseconds.append(witness.times[last + 1].map { max(0, witness.end - $0) / 1_000 } ?? 0)
    }

    var description: String {
        func figures(_ values: [Int]) -> String {
            let sorted = values.sorted()
            return sorted.isEmpty ? "none" : "median \(sorted[sorted.count / 2]), most \(sorted[sorted.count - 1])"
        }
        return "\(transactions.count) machines lost, with \(figures(transactions)) transactions; the oldest of them "
            + "\(figures(milliseconds)) ms old. \(moments.count) seconds restored, up to \(figures(moments)) ms before"
    }
}

/// Waits for up to ten seconds, because Litestream may have a lot to send.
private func eventuallyLong(_ condition: () -> Bool) -> Bool {
    (0..<10).contains { _ in eventually(condition) }
}
