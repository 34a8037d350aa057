// Places for the boxes of a graph.

/// Boxes in columns: a box stands to the right of those to which it has links, near them, and links cross rarely.
///
/// Source: Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System Structures, 1981
struct LayeredLayout {
    struct Size { var width, height: Double }
    struct Position: Equatable { var x, y: Double }

    let sizes: [Size]
    private(set) var positions: [Position]
    private(set) var width = 0.0
    private(set) var height = 0.0

    private static let columnGap = 90.0
    private static let rowGap = 24.0
    private static let margin = 24.0
    private static let sweepCount = 8

    init(sizes: [Size], links: [(from: Int, to: Int)]) {
        self.sizes = sizes
        positions = sizes.map { _ in Position(x: 0, y: 0) }
        var neighbours = sizes.map { _ in Set<Int>() }
        for link in links where link.from != link.to {
            neighbours[link.from].insert(link.to)
            neighbours[link.to].insert(link.from)
        }
        let parts = Self.parts(neighbours)
        let area = sizes.reduce(0) { $0 + ($1.width + Self.columnGap) * ($1.height + Self.rowGap) }
        let target = max(700, (1.6 * area).squareRoot())
        var blocks: [(members: [Int], size: Size)] = parts.filter { $0.count > 1 }.map { part in
            let layers = layers(part, links, maximumHeight: max(600, target / 1.3))
            return (part, place(layers, neighbours))
        }
        // Boxes without links, the largest first, form rows.
        let single = parts.filter { $0.count == 1 }.map { $0[0] }.sorted { sizes[$0].height > sizes[$1].height }
        blocks += single.map { ([$0], sizes[$0]) }
        pack(blocks, width: max(target, blocks.map(\.size.width).max() ?? 0))
    }

    /// The connected parts of the graph, the largest first.
    private static func parts(_ neighbours: [Set<Int>]) -> [[Int]] {
        var isSeen = neighbours.map { _ in false }
        var parts: [[Int]] = []
        for start in neighbours.indices where !isSeen[start] {
            isSeen[start] = true
            var part = [start]
            var next = 0
            while next < part.count {
                for other in neighbours[part[next]].sorted() where !isSeen[other] {
                    isSeen[other] = true
                    part.append(other)
                }
                next += 1
            }
            parts.append(part)
        }
        return parts.sorted { $0.count > $1.count }
    }

    /// The columns: one more than the last of those to which a box has links. A link that would close a cycle doesn't
    /// count. A column that is too high becomes several.
    private func layers(_ part: [Int], _ links: [(from: Int, to: Int)], maximumHeight: Double) -> [[Int]] {
        var targets: [Int: [Int]] = [:]
        for link in links where link.from != link.to { targets[link.from, default: []].append(link.to) }
        var layer: [Int: Int] = [:]
        var isOnPath: Set<Int> = []
        // Not recursive: a chain of links may be long.
        for root in part where layer[root] == nil {
            var stack: [(box: Int, next: Int)] = [(root, 0)]
            isOnPath.insert(root)
            while let (box, next) = stack.last {
                let others = targets[box] ?? []
                if next < others.count {
                    stack[stack.count - 1].next += 1
                    let other = others[next]
                    if layer[other] == nil, isOnPath.insert(other).inserted { stack.append((other, 0)) }
                } else {
                    layer[box] = (others.filter { !isOnPath.contains($0) }.compactMap { layer[$0] }.max() ?? -1) + 1
                    isOnPath.remove(box)
                    stack.removeLast()
                }
            }
        }
        let count = (layer.values.max() ?? 0) + 1
        var result = Array(repeating: [Int](), count: count)
        for box in part { result[layer[box] ?? 0].append(box) }
        return result.flatMap { boxes -> [[Int]] in
            var columns: [[Int]] = [[]]
            var height = 0.0
            for box in boxes {
                if height > 0, height + sizes[box].height > maximumHeight {
                    columns.append([])
                    height = 0
                }
                columns[columns.count - 1].append(box)
                height += sizes[box].height + Self.rowGap
            }
            return columns
        }
    }

    /// Places the boxes of one part at the origin.
    private mutating func place(_ layers: [[Int]], _ neighbours: [Set<Int>]) -> Size {
        var layers = layers
        var x = 0.0
        for layer in layers {
            var y = 0.0
            for box in layer {
                positions[box] = Position(x: x, y: y)
                y += sizes[box].height + Self.rowGap
            }
            x += (layer.map { sizes[$0].width }.max() ?? 0) + Self.columnGap
        }
        for sweep in 0..<Self.sweepCount {
            for index in sweep.isMultiple(of: 2) ? Array(layers.indices) : layers.indices.reversed() {
                align(&layers[index], neighbours)
            }
        }
        let boxes = layers.joined()
        let top = boxes.map { positions[$0].y }.min() ?? 0
        for box in boxes { positions[box].y -= top }
        return Size(
            width: x - Self.columnGap, height: boxes.map { positions[$0].y + sizes[$0].height }.max() ?? 0)
    }

    private func center(_ box: Int) -> Double { positions[box].y + sizes[box].height / 2 }

    /// Sorts a column by the mean height of its neighbours, and moves the boxes there without overlaps.
    private mutating func align(_ layer: inout [Int], _ neighbours: [Set<Int>]) {
        let wanted = layer.map { box -> (box: Int, center: Double) in
            let others = neighbours[box].filter { positions[$0].x != positions[box].x }
            let sum = others.reduce(0) { $0 + center($1) }
            return (box, others.isEmpty ? center(box) : sum / Double(others.count))
        }.sorted { ($0.center, $0.box) < ($1.center, $1.box) }
        layer = wanted.map(\.box)
        // Groups of boxes that would overlap share their mean.
        var groups: [(boxes: [Int], height: Double, sum: Double)] = []
        func top(_ group: (boxes: [Int], height: Double, sum: Double)) -> Double {
            group.sum / Double(group.boxes.count) - group.height / 2
        }
        for (box, center) in wanted {
            var group = (boxes: [box], height: sizes[box].height, sum: center)
            while let last = groups.last, top(last) + last.height + Self.rowGap > top(group) {
                groups.removeLast()
                group = (
                    last.boxes + group.boxes, last.height + Self.rowGap + group.height, last.sum + group.sum
                )
            }
            groups.append(group)
        }
        for group in groups {
            var y = top(group)
            for box in group.boxes {
                positions[box].y = y
                y += sizes[box].height + Self.rowGap
            }
        }
    }

    /// Puts the parts in rows.
    private mutating func pack(_ blocks: [(members: [Int], size: Size)], width target: Double) {
        var (x, y, rowHeight) = (Self.margin, Self.margin, 0.0)
        for block in blocks {
            if x > Self.margin, x + block.size.width > target {
                (x, y) = (Self.margin, y + rowHeight + 2 * Self.rowGap)
                rowHeight = 0
            }
            for box in block.members {
                positions[box].x += x
                positions[box].y += y
            }
            width = max(width, x + block.size.width + Self.margin)
            rowHeight = max(rowHeight, block.size.height)
            x += block.size.width + Self.columnGap / 2
        }
        height = y + rowHeight + Self.margin
    }
}
