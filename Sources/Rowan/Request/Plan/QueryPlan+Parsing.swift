// Parses the rows of EXPLAIN QUERY PLAN into a tree, and their texts into operations.

extension QueryPlan {
    /// - Parameter rows: the rows in SQLite's order: each row comes after its parent.
    init(_ rows: [(id: Int, parent: Int, detail: String)]) {
        let ids = Set(rows.map(\.id))
        var children: [Int: [Node]] = [:]
        // From the end, so that the children of each row are complete.
        for row in rows.reversed() {
            let node = Node(
                operation: Operation(detail: row.detail), detail: row.detail, children: children[row.id] ?? [])
            children[ids.contains(row.parent) && row.parent != row.id ? row.parent : 0, default: []].insert(node, at: 0)
        }
        nodes = children[0] ?? []
    }
}

extension QueryPlan.Operation {
    init(detail: String) {
        self = Self.table(detail) ?? Self.subquery(detail) ?? Self.step(detail)
    }

    private static func step(_ detail: String) -> Self {
        if let purpose = detail.after("USE TEMP B-TREE FOR ") { return .temporaryBTree(purpose: purpose) }
        if detail == "MULTI-INDEX OR" || detail.after("INDEX ").map({ Int($0) != nil }) == true {
            return .multipleIndexes
        }
        let words = ["COMPOUND ", "LEFT-MOST SUBQUERY", "UNION", "EXCEPT", "INTERSECT", "MERGE ("]
        if detail == "LEFT" || detail == "RIGHT" || words.contains(where: detail.hasPrefix) { return .compound(detail) }
        return .other
    }

    private static func subquery(_ detail: String) -> Self? {
        let text = detail.after("CORRELATED ")
        let kinds: [(String, QueryPlan.Subquery)] = [
            ("CO-ROUTINE ", .coroutine), ("MATERIALIZE ", .materialized), ("SCALAR SUBQUERY ", .scalar),
            ("LIST SUBQUERY ", .list),
        ]
        for (prefix, kind) in kinds {
            guard let name = (text ?? detail).after(prefix) else { continue }
            return .subquery(kind, name: name, isCorrelated: text != nil)
        }
        return nil
    }

    /// `SCAN t`, `SEARCH t USING INDEX i (a=? AND b>?)`, and any text that follows.
    private static func table(_ detail: String) -> Self? {
        let isSearch = detail.hasPrefix("SEARCH ")
        guard var text = detail.after("SCAN ") ?? detail.after("SEARCH ") else { return nil }
        // `SCAN CONSTANT ROW`, `SCAN 3 CONSTANT ROWS`
        guard !text.hasSuffix("CONSTANT ROW"), !text.hasSuffix("CONSTANT ROWS") else { return nil }
        for suffix in [" LEFT-JOIN", " EXISTS"] where text.hasSuffix(suffix) { text.removeLast(suffix.count) }
        // Before SQLite 3.36: `SCAN TABLE player AS p`.
        text = text.after("TABLE ") ?? text
        let use = IndexUse(&text, hasConstraint: isSearch)
        if let use, isSearch {
            return .search(table: text, index: use.index, isCovering: use.isCovering, constraint: use.constraint)
        }
        if isSearch { return .search(table: text, index: nil, isCovering: false, constraint: nil) }
        return .scan(table: text, index: use?.index, isCovering: use?.isCovering ?? false)
    }
}

/// The text after the name of a table.
private struct IndexUse {
    var index: QueryPlan.Index
    var isCovering = false
    var constraint: String?

    /// Parses from the end of the text because the table name may contain any text.
    init?(_ text: inout String, hasConstraint: Bool) {
        let forms: [(words: String, isCovering: Bool, index: (String) -> QueryPlan.Index)] = [
            (" USING AUTOMATIC PARTIAL COVERING INDEX", true, { _ in .automatic }),
            (" USING AUTOMATIC COVERING INDEX", true, { _ in .automatic }),
            (" USING COVERING INDEX ", true, { .named($0) }),
            (" USING INDEX ", false, { .named($0) }),
            (" USING INTEGER PRIMARY KEY", false, { _ in .rowID }),
            (" USING PRIMARY KEY", false, { _ in .primaryKey }),
            (" VIRTUAL TABLE INDEX ", false, { .virtualTable($0) }),
        ]
        for form in forms {
            guard let range = text.range(ofLast: form.words) else { continue }
            var name = String(text[range.upperBound...])
            if hasConstraint { constraint = name.removeLastParentheses() }
            isCovering = form.isCovering
            index = form.index(name)
            text = String(text[..<range.lowerBound])
            return
        }
        return nil
    }
}

extension String {
    fileprivate func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    fileprivate func range(ofLast text: String) -> Range<Index>? {
        ranges(of: text).last
    }

    /// Removes ` (a=? AND ANY(b))` from the end.
    ///
    /// - Returns: the text between the parentheses, or nil without parentheses.
    fileprivate mutating func removeLastParentheses() -> String? {
        guard hasSuffix(")") else { return nil }
        var depth = 0
        for index in indices.reversed() {
            if self[index] == ")" { depth += 1 }
            if self[index] == "(" { depth -= 1 }
            guard depth == 0 else { continue }
            let content = String(self[self.index(after: index)...].dropLast())
            self = String(self[..<index])
            if hasSuffix(" ") { removeLast() }
            return content
        }
        return nil
    }
}
