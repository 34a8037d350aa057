// Windows: for each row, the rows that a window function or an aggregate processes.

/// A window: for each row, the rows that a function processes and their order.
///
/// ```swift
/// // SELECT *, RANK() OVER (PARTITION BY "team" ORDER BY "score" DESC) AS "rank" FROM "player"
/// Player.annotated(with: {
///     [rank().over(Window(partitionBy: [$0.team], orderBy: [$0.score.desc])).forKey("rank")]
/// })
/// ```
///
/// Article: <doc:CompoundsAndWindows>.
///
/// Source: <https://sqlite.org/windowfunctions.html>
public struct Window: Sendable {
    private var base: String?
    private var partitions: [SQLExpression]
    private var orderings: [SQLOrdering]
    private var frame: Frame?

    /// Creates a window.
    ///
    /// - Parameters:
    ///   - partitions: rows with equal values form a partition. Without partitions, all rows form one.
    ///   - orderings: the order of the rows within a partition.
    ///   - frame: the rows of the partition that a function processes. The default frame ends with the current row and
    ///     its peers, the rows that are equal in the order. Without an order, it is the whole partition.
    public init(
        partitionBy partitions: [any SQLExpressible] = [], orderBy orderings: [any SQLOrderingTerm] = [],
        frame: Frame? = nil
    ) {
        self.partitions = partitions.map(\.sqlExpression)
        self.orderings = orderings.map(\.sqlOrdering)
        self.frame = frame
    }

    /// Creates a window that extends a window of the request: `("w" ORDER BY "score")`.
    public init(_ base: String, orderBy orderings: [any SQLOrderingTerm] = [], frame: Frame? = nil) {
        self.init(orderBy: orderings, frame: frame)
        self.base = base
    }

    /// The rows of a partition that a function processes: `ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`.
    public struct Frame: Hashable, Sendable {
        fileprivate enum Unit: String { case rows = "ROWS", range = "RANGE", groups = "GROUPS" }

        fileprivate let unit: Unit
        fileprivate let start: Bound
        fileprivate let end: Bound
        fileprivate let exclusion: Exclusion?

        /// A frame whose bounds count rows.
        public static func rows(
            from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
        ) -> Frame {
            Frame(unit: .rows, start: start, end: end, exclusion: exclusion)
        }

        /// A frame whose bounds are distances between values of the single ORDER BY term.
        public static func range(
            from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
        ) -> Frame {
            Frame(unit: .range, start: start, end: end, exclusion: exclusion)
        }

        /// A frame whose bounds count groups of rows with equal ORDER BY terms.
        public static func groups(
            from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
        ) -> Frame {
            Frame(unit: .groups, start: start, end: end, exclusion: exclusion)
        }
    }

    /// The start or the end of a frame.
    public struct Bound: Hashable, Sendable {
        fileprivate var offset: SQLExpression?
        fileprivate let text: String

        /// The first row of the partition.
        public static let unboundedPreceding = Bound(text: "UNBOUNDED PRECEDING")
        /// The current row.
        public static let currentRow = Bound(text: "CURRENT ROW")
        /// The last row of the partition.
        public static let unboundedFollowing = Bound(text: "UNBOUNDED FOLLOWING")

        /// `offset` rows, groups, or units of the ordering value, before the current row.
        public static func preceding(_ offset: some SQLExpressible) -> Bound {
            Bound(offset: offset.sqlExpression, text: " PRECEDING")
        }

        /// `offset` rows, groups, or units of the ordering value, after the current row.
        public static func following(_ offset: some SQLExpressible) -> Bound {
            Bound(offset: offset.sqlExpression, text: " FOLLOWING")
        }

        fileprivate func map(_ transform: inout some ExpressionTransform) throws -> Bound {
            Bound(offset: try offset.map { try transform.expression($0) }, text: text)
        }
    }

    /// The rows that a frame excludes.
    public enum Exclusion: String, Hashable, Sendable {
        /// No rows, which is the default.
        case noOthers = "NO OTHERS"
        /// The current row.
        case currentRow = "CURRENT ROW"
        /// The current row and its peers, the rows that are equal in the order.
        case group = "GROUP"
        /// The peers of the current row, but not the current row itself.
        case ties = "TIES"
    }
}

extension Window: Hashable {
    package func map(_ transform: inout some ExpressionTransform) throws -> Window {
        var result = self
        result.partitions = try partitions.map { try transform.expression($0) }
        result.orderings = try orderings.flatMap { try transform.orderings($0) }
        result.frame = try frame.map {
            Frame(
                unit: $0.unit, start: try $0.start.map(&transform), end: try $0.end.map(&transform),
                exclusion: $0.exclusion)
        }
        return result
    }

    var depth: Int32 {
        max(partitions.depth, orderings.depth, frame?.start.offset?.depth ?? 0, frame?.end.offset?.depth ?? 0)
    }

    package var isSymbolic: Bool {
        partitions.contains(where: \.isSymbolic) || orderings.contains(where: \.isSymbolic)
            || frame?.start.offset?.isSymbolic ?? false || frame?.end.offset?.isSymbolic ?? false
    }
}

/// A named window: a term of the WINDOW clause.
package struct WindowDefinition: Hashable, Sendable {
    package var name: String
    package var window: Window

    package init(name: String, window: Window) {
        self.name = name
        self.window = window
    }
}

/// The operand of OVER.
package enum WindowReference: Hashable, Sendable {
    case window(Window)
    case named(String)

    func map(_ transform: inout some ExpressionTransform) throws -> WindowReference {
        switch self {
        case .window(let window): .window(try window.map(&transform))
        case .named: self
        }
    }

    var isSymbolic: Bool {
        switch self {
        case .window(let window): window.isSymbolic
        case .named: false
        }
    }
}

extension Renderer {
    /// `(PARTITION BY "a" ORDER BY "b" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`
    package mutating func write(_ window: Window) { window.write(to: &self) }

    /// `"w" AS (PARTITION BY "a")`, a term of the WINDOW clause.
    package mutating func write(_ definition: WindowDefinition) {
        write(identifier: definition.name)
        write(" AS ")
        write(definition.window)
    }

    mutating func write(_ reference: WindowReference) {
        switch reference {
        case .window(let window): write(window)
        case .named(let name): write(identifier: name)
        }
    }
}

extension Window {
    fileprivate func write(to renderer: inout Renderer) {
        var separator = ""
        func begin(_ renderer: inout Renderer, _ keyword: String) {
            renderer.write(separator + keyword)
            separator = " "
        }
        renderer.write("(")
        if let base {
            begin(&renderer, "")
            renderer.write(identifier: base)
        }
        if !partitions.isEmpty {
            begin(&renderer, "PARTITION BY ")
            renderer.write(list: partitions) { $0.write($1) }
        }
        if !orderings.isEmpty {
            begin(&renderer, "ORDER BY ")
            renderer.write(list: orderings) { $0.write($1) }
        }
        if let frame {
            begin(&renderer, frame.unit.rawValue)
            renderer.write(" BETWEEN ")
            frame.start.write(to: &renderer)
            renderer.write(" AND ")
            frame.end.write(to: &renderer)
            if let exclusion = frame.exclusion { renderer.write(" EXCLUDE \(exclusion.rawValue)") }
        }
        renderer.write(")")
    }
}

extension Window.Bound {
    fileprivate func write(to renderer: inout Renderer) {
        if let offset { renderer.write(operand: offset) }
        renderer.write(text)
    }
}
