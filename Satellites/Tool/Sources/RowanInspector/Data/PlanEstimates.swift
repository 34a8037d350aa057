// Query plans with the rows that SQLite expects.

import Foundation
import Rowan
import RowanCommands
import RowanPictures

extension PlanTree {
    /// The plan of a statement.
    init(_ plan: QueryPlan, _ db: Database) throws {
        let estimates = try PlanEstimates(db)
        let fullScans = Set(plan.fullScans)
        func step(_ node: QueryPlan.Node) -> Step {
            return Step(
                text: node.detail, remark: node.remark(fullScans), rows: estimates.rows(node.operation),
                children: node.children.map(step))
        }
        self.init(plan.nodes.map(step))
    }
}

/// The statistics of ANALYZE. Source: <https://sqlite.org/fileformat2.html#stat1tab>
private struct PlanEstimates {
    /// The numbers of an index: its rows, and those with the same first column, the same first two, and so on.
    private var indexes: [String: [Double]] = [:]
    private var tables: [String: Double] = [:]

    init(_ db: Database) throws {
        guard try db.tableExists("sqlite_stat1", in: "main") else { return }
        for row in try Row.fetchAll(
            db, sql: "SELECT CAST(tbl AS TEXT), CAST(idx AS TEXT), CAST(stat AS TEXT) FROM sqlite_stat1")
        {
            guard let table = row[0] as String?, let text = row[2] as String? else { continue }
            let numbers = text.split(separator: " ").compactMap { Double($0) }
            guard let count = numbers.first else { continue }
            tables[table.lowercased()] = max(tables[table.lowercased()] ?? 0, count)
            if let index = row[1] as String? { indexes[index.lowercased()] = numbers }
        }
    }

    /// Only for tables that are called by their names: a plan shows aliases.
    func rows(_ operation: QueryPlan.Operation) -> Double? {
        switch operation {
        case .scan(let table, _, _): return tables[table.lowercased()]
        case .search(let table, let index, _, let constraint):
            guard let constraint, let count = tables[table.lowercased()] else { return nil }
            // A range is taken for a quarter of the rows, as SQLite does without a histogram.
            let equalCount = constraint.components(separatedBy: "=?").count - 1
            let hasRange = constraint.contains("<?") || constraint.contains(">?")
            switch index {
            case .rowID: return equalCount > 0 ? 1 : max(1, count / 4)
            case .named(let name):
                guard let numbers = indexes[name.lowercased()], equalCount < numbers.count else { return nil }
                return max(1, numbers[equalCount] / (hasRange ? 4 : 1))
            default: return nil
            }
        default: return nil
        }
    }
}
