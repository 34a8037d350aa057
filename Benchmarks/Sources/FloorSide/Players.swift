import CFloor
import Harness

// Players and runners: pages, and tables of any size.

extension FloorSide {
    func runPages(_ assignment: Assignment) throws -> any Run {
        let count = assignment.count
        let text = try assignment.sqlOfPageStart.map { try Connection(path: assignment.path).text($0) }
        let (score, id) = text.map(assignment.pageStart) ?? (.max, 0)
        if assignment.workload == .pageDeep {
            return try run(assignment.path, into: RunnerList()) { connection, runners in
                floor_fetch_runner_pages(connection, score, id, count, &runners.list)
            }
        }
        return try run(assignment.path, into: PlayerList()) { connection, players in
            floor_fetch_pages(connection, score, id, count, &players.list)
        }
    }

    func insertPlayers(_ assignment: Assignment) throws -> any Run {
        let (names, teams, count) = (CTexts(playerNames), CTexts(playerTeams), assignment.count)
        return try run(assignment.path, into: Nothing()) { connection, _ in
            floor_insert_players(
                connection, names.pointers, names.pointers.count, teams.pointers, teams.pointers.count, count)
        }
    }

    func digestPlayers(_ assignment: Assignment) throws -> any Run {
        try run(assignment.path, into: Sum()) { connection, sum in
            floor_digest_players(connection, &sum.value)
        }
    }

    func digestPlayersByID(_ assignment: Assignment) throws -> any Run {
        let ids = assignment.playerIDs
        return try run(assignment.path, into: Sum()) { connection, sum in
            floor_digest_players_by_id(connection, ids, ids.count, &sum.value)
        }
    }
}

final class RunnerList: Digestible {
    var list = FloorRunnerList()

    deinit { floor_runner_list_free(&list) }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for runner in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(runner.id)
            runner.name.digest(into: &checksum)
            runner.team.digest(into: &checksum)
            checksum.add(runner.score.isNull ? -1 : runner.score.value)
        }
    }
}
