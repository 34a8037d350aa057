// Window functions. Rows that are equal in the window's order get the same value, or a value determined by their own
// columns, because the order of equal rows is undefined.

import Rowan

extension Differential {
    /// A window function as a column of a request.
    struct Windowed {
        enum Function: CaseIterable {
            case rank, denseRank, percentRank, cumeDist, countAll, count, sum, min, max, average
        }
        enum Start { case unbounded, preceding(Int), current }
        enum End { case current, following(Int), unbounded }
        struct Frame {
            var countsGroups: Bool
            var start: Start
            var end: End
            var exclusion: Window.Exclusion?
        }

        var name: String
        var function: Function
        var argument: Expression
        var partitions: [Expression]
        var orderings: [Ordering]
        var frame: Frame?
        /// The name of the window, if it is defined by the request.
        var windowName: String?
    }
}

// MARK: - Random ones

extension Differential.Generator {
    mutating func windowed(_ scope: Scope, number: Int) -> Differential.Windowed {
        let partitions = (0..<pick([0, 0, 1, 1, 2])).compactMap { _ in column(scope, isText: chance(50)) }
        let orderings = (0..<pick([0, 1, 1, 2])).compactMap { _ in column(scope, isText: chance(30)) }.map {
            Differential.Ordering(expression: $0, direction: pick(Differential.Ordering.Direction.allCases))
        }
        var result = Differential.Windowed(
            name: "w\(number)", function: pick(Differential.Windowed.Function.allCases), argument: .value(.int(1)),
            partitions: partitions, orderings: orderings)
        // Not 1 together with 1.0: SQLite could choose either as the minimum.
        if let column = column(scope, isText: false) { result.argument = column }
        if chance(60) {
            let countsGroups = !orderings.isEmpty && chance(60)
            var starts: [Differential.Windowed.Start] = [.unbounded, .current]
            var ends: [Differential.Windowed.End] = [.current, .unbounded]
            if countsGroups {
                starts += [.preceding(1), .preceding(2)]
                ends += [.following(1), .following(0)]
            }
            result.frame = Differential.Windowed.Frame(
                countsGroups: countsGroups, start: pick(starts), end: pick(ends),
                exclusion: pick([nil, nil, .noOthers, .currentRow, .group, .ties]))
        }
        if chance(25) { result.windowName = "v\(number)" }
        return result
    }
}

// MARK: - As SQL

extension Differential.Builder {
    /// The request with its window columns.
    func adding(
        _ windows: [Differential.Windowed], to request: QueryInterfaceRequest<Row>
    ) -> QueryInterfaceRequest<Row> {
        var result = request
        for windowed in windows {
            let window = Window(
                partitionBy: windowed.partitions.map(sql), orderBy: windowed.orderings.map(ordering),
                frame: windowed.frame.map(frame))
            let function = function(windowed)
            if let name = windowed.windowName {
                result = result.window(name, window).annotated(with: function.over(name).forKey(windowed.name))
            } else {
                result = result.annotated(with: function.over(window).forKey(windowed.name))
            }
        }
        return result
    }

    private func function(_ windowed: Differential.Windowed) -> SQLExpression {
        let argument = sql(windowed.argument)
        return switch windowed.function {
        case .rank: rank()
        case .denseRank: denseRank()
        case .percentRank: percentRank()
        case .cumeDist: cumeDist()
        case .countAll: count(AllColumns())
        case .count: count(argument)
        case .sum: sum(argument)
        case .min: min(argument)
        case .max: max(argument)
        case .average: average(argument)
        }
    }

    private func frame(_ frame: Differential.Windowed.Frame) -> Window.Frame {
        let start: Window.Bound =
            switch frame.start {
            case .unbounded: .unboundedPreceding
            case .preceding(let count): .preceding(count)
            case .current: .currentRow
            }
        let end: Window.Bound =
            switch frame.end {
            case .current: .currentRow
            case .following(let count): .following(count)
            case .unbounded: .unboundedFollowing
            }
        return frame.countsGroups
            ? .groups(from: start, to: end, excluding: frame.exclusion)
            : .range(from: start, to: end, excluding: frame.exclusion)
    }
}

// MARK: - As a function

extension Differential.Evaluator {
    /// The values of the window columns, by row.
    func columns(
        _ windows: [Differential.Windowed], _ rows: [Slots], _ relation: Differential.Relation
    ) -> [[String]] {
        var columns = rows.map { _ in [String]() }
        for windowed in windows {
            for (index, value) in values(windowed, rows, relation).enumerated() {
                columns[index].append("\(windowed.name)=\(value.text)")
            }
        }
        return columns
    }

    private func values(
        _ windowed: Differential.Windowed, _ rows: [Slots], _ relation: Differential.Relation
    ) -> [Value] {
        func values(_ expressions: [Differential.Expression], _ slots: Slots) -> [Value] {
            expressions.map { value($0, slots[relation.slot], slots) }
        }
        let partitions = rows.map { values(windowed.partitions, $0) }
        let keys = rows.map { values(windowed.orderings.map(\.expression), $0) }
        let arguments = rows.map { value(windowed.argument, $0[relation.slot], $0) }
        func precedes(_ a: Int, _ b: Int) -> Bool {
            self.precedes(keys[a], keys[b], windowed.orderings) ?? false
        }
        return rows.indices.map { current in
            let partition = rows.indices.filter { other in
                zip(partitions[other], partitions[current]).allSatisfy { $0.isSame($1) }
            }
            /// The index of a row's group, which is the number of groups before it.
            func group(_ row: Int) -> Int {
                let before = partition.filter { precedes($0, row) }
                return before.filter { first in !before.contains { $0 < first && isPeer($0, first) } }.count
            }
            func isPeer(_ a: Int, _ b: Int) -> Bool { !precedes(a, b) && !precedes(b, a) }
            let before = partition.filter { precedes($0, current) }.count
            let peers = partition.filter { isPeer($0, current) }.count
            switch windowed.function {
            case .rank: return .int(Int64(before + 1))
            case .denseRank: return .int(Int64(group(current) + 1))
            case .percentRank:
                return .real(partition.count == 1 ? 0 : Double(before) / Double(partition.count - 1))
            case .cumeDist: return .real(Double(before + peers) / Double(partition.count))
            default: break
            }
            let currentGroup = group(current)
            let frame = partition.filter { row in
                let distance = group(row) - currentGroup
                return isInFrame(windowed.frame, distance)
                    && !isExcluded(windowed.frame?.exclusion, isCurrent: row == current, isPeer: distance == 0)
            }
            return value(of: windowed.function, frame.map { arguments[$0] })
        }
    }

    private func isInFrame(_ frame: Differential.Windowed.Frame?, _ distance: Int) -> Bool {
        guard let frame else { return distance <= 0 }
        let isAfterStart =
            switch frame.start {
            case .unbounded: true
            case .preceding(let count): distance >= -count
            case .current: distance >= 0
            }
        let isBeforeEnd =
            switch frame.end {
            case .current: distance <= 0
            case .following(let count): distance <= count
            case .unbounded: true
            }
        return isAfterStart && isBeforeEnd
    }

    private func isExcluded(_ exclusion: Window.Exclusion?, isCurrent: Bool, isPeer: Bool) -> Bool {
        switch exclusion {
        case nil, .noOthers: false
        case .currentRow: isCurrent
        case .group: isPeer
        case .ties: isPeer && !isCurrent
        }
    }

    private func value(of function: Differential.Windowed.Function, _ values: [Value]) -> Value {
        switch function {
        case .countAll: .int(Int64(values.count))
        case .count: .int(Int64(values.count { !$0.isNull }))
        case .sum: Differential.Aggregate.sum.value(of: values)
        case .min: Differential.Aggregate.min.value(of: values)
        case .max: Differential.Aggregate.max.value(of: values)
        case .average: Differential.Aggregate.average.value(of: values)
        case .rank, .denseRank, .percentRank, .cumeDist: preconditionFailure("these look at no frame")
        }
    }
}
