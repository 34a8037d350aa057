import Foundation
import PlacesKit
import Testing

/// `places follow` in a process, and its writers in others.
@Suite(.timeLimit(.minutes(2)))
struct FollowTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        let result = try Program.run("import", "--folder", zoneinfo.path, "--no-sql", "--database", folder.database)
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test func theChangesOfAnotherProcessAreFollowed() throws {
        let follower = try RunningProgram("follow", "--changes", "2", "--no-sql", "--database", folder.database)
        #expect(try follower.nextLine() == "Following 3 places (0 favourites) of \(folder.database).")
        for star in ["★", " "] {
            _ = try Program.run("toggle", "Europe/Paris", "--no-sql", "--database", folder.database)
            let line = try follower.nextLine()
            #expect(line.hasPrefix("\(star) Paris "))
            #expect(line.hasSuffix(" ms"))
        }
        #expect(try follower.nextLine().hasPrefix("2 changes, shown after a median of "))
        #expect(follower.waitForEnd() == 0)
    }

    @Test func aCountryIsFollowedAlone() throws {
        let follower = try RunningProgram(
            "follow", "--changes", "1", "--country", "fj", "--no-sql", "--database", folder.database)
        #expect(try follower.nextLine().hasPrefix("Following 1 place "))
        for zone in ["Europe/Paris", "Pacific/Fiji"] {
            _ = try Program.run("toggle", zone, "--no-sql", "--database", folder.database)
        }
        #expect(try follower.nextLine().hasPrefix("★ Fiji "))
        #expect(follower.waitForEnd() == 0)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalEndsItWithASummary(_ signal: Int32) throws {
        let follower = try RunningProgram("follow", "--no-sql", "--database", folder.database)
        #expect(try follower.nextLine().hasPrefix("Following 3 places"))
        follower.send(signal)
        #expect(try follower.nextLine() == "0 changes")
        #expect(follower.waitForEnd() == 0)
    }

    /// The second process, which would run for minutes, exits with it.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP], [["--changes", "2000"], ["--changes", "2000", "--seconds", "60"]])
    func aSignalEndsTheSecondProcess(_ signal: Int32, _ options: [String]) throws {
        let follower = try RunningProgram(
            ["follow", "--with-writer", "--no-sql", "--database", folder.database] + options)
        #expect(try follower.nextLine().hasPrefix("Following 3 places"))
        #expect(try follower.nextLine().hasSuffix(" ms"))
        let start = ContinuousClock.now
        follower.send(signal)
        #expect(follower.waitForEnd() == 0)
        // Less than the time that 2,000 changes take.
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func aSecondProcessWritesUntilAllChangesAreShown() throws {
        let result = try Program.run(
            "follow", "--with-writer", "--changes", "5", "--seed", "3", "--database", folder.database)
        #expect(result.code == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "Following 3 places (0 favourites) of \(folder.database).")
        #expect(lines.dropFirst().prefix(5).allSatisfy { $0.hasSuffix(" ms") })
        #expect(lines.dropFirst(6).first?.hasPrefix("5 changes, shown after a median of ") == true)
        #expect(lines.last?.hasPrefix("  sql ") == true)
    }

    @Test func aSecondProcessThatFailsIsReported() throws {
        let result = try Program.run("follow", "--with-writer", "--country", "XX", "--database", folder.database)
        #expect(result.code != 0)
        #expect(result.errors.contains("there are no such places in \(folder.database)"))
        #expect(result.errors.contains("the process that changes places failed with exit code 1"))
    }

    @Test func aTimeLimitEndsIt() throws {
        let result = try Program.run("follow", "--seconds", "0", "--no-sql", "--database", folder.database)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.hasSuffix("0 changes\n"))
    }

    @Test func aSeedSimulatesTheSameChanges() throws {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.database, toPath: copy.database)
        let outputs = try [folder, copy].map { folder in
            try Program.run(
                "simulate", "--changes", "6", "--seed", "5", "--pause", "0", "--no-sql", "--database", folder.database
            ).output
        }
        #expect(outputs[0].split(separator: "\n").count == 6)
        #expect(outputs[0] == outputs[1])
    }

    @Test func followingBeforeAnImportSaysWhatToDo() throws {
        let result = try Program.run("follow", "--database", folder.database + "-none")
        #expect(result.code != 0)
        #expect(result.errors.contains("run \"places import\" first"))
    }
}
