import CFloor
import Harness

// Pages of players and runners.

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
