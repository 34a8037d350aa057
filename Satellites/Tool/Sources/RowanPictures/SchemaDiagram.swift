// The tables of a database and their foreign keys.

/// A diagram of tables: tables stand to the right of those to which they refer.
package struct SchemaDiagram: Sendable {
    package struct Column: Sendable {
        package var name: String
        package var type: String
        package var isKey: Bool
        package var isReference: Bool

        package init(name: String, type: String, isKey: Bool, isReference: Bool) {
            (self.name, self.type, self.isKey, self.isReference) = (name, type, isKey, isReference)
        }
    }

    package struct Table: Sendable {
        package var name: String
        package var columns: [Column]
        /// The address of its page.
        package var address: String?

        package init(name: String, columns: [Column], address: String? = nil) {
            (self.name, self.columns, self.address) = (name, columns, address)
        }
    }

    package struct Link: Sendable {
        package var from: Int
        package var fromColumn: Int
        package var to: Int
        package var toColumn: Int

        /// - Parameter from: the index of the table that refers to the other.
        package init(from: Int, fromColumn: Int, to: Int, toColumn: Int) {
            (self.from, self.fromColumn, self.to, self.toColumn) = (from, fromColumn, to, toColumn)
        }
    }

    package var tables: [Table]
    package var links: [Link]

    package init(tables: [Table], links: [Link]) { (self.tables, self.links) = (tables, links) }

    private static let rowHeight = 20.0
    private static let headHeight = 26.0
    private static let maximumName = 28
    private static let maximumType = 14
    /// The columns of a large table that are drawn, apart from keys and references.
    private static let maximumColumns = 12

    /// The columns of a table that are drawn: all of them in a small table, otherwise keys and references first.
    private func shown(_ table: Table) -> [Int] {
        let all = table.columns.indices
        guard all.count > Self.maximumColumns else { return Array(all) }
        let linked = all.filter { table.columns[$0].isKey || table.columns[$0].isReference }
        let others = all.filter { !linked.contains($0) }
        return (linked + others.prefix(max(0, Self.maximumColumns - linked.count))).sorted()
    }

    package func picture(title: String) -> Picture {
        let rows = tables.map(shown)
        let sizes = tables.indices.map { index in
            let table = tables[index]
            let isCut = rows[index].count < table.columns.count
            let columns = rows[index].map { table.columns[$0] }
            let names = columns.map { $0.name.shortened(to: Self.maximumName).pictureWidth }.max() ?? 0
            let types = columns.map { $0.type.shortened(to: Self.maximumType).pictureWidth }.max() ?? 0
            let head = table.name.shortened(to: Self.maximumName + 8).pictureWidth + 24
            return LayeredLayout.Size(
                width: max(head, names + types + 56, 120),
                height: Self.headHeight + Self.rowHeight * Double(columns.count + (isCut ? 1 : 0)) + 4)
        }
        let layout = LayeredLayout(sizes: sizes, links: links.map { ($0.from, $0.to) })
        let drawnLinks = links.map { link in
            line(link, from: y(link.fromColumn, of: link.from, rows), to: y(link.toColumn, of: link.to, rows), layout)
        }
        let boxes = tables.indices.map { box($0, rows[$0], sizes[$0], layout.positions[$0]) }
        return Picture(
            title: title, width: layout.width, height: layout.height, body: "\(drawnLinks)\(boxes)")
    }

    /// The height of a column in its box.
    private func y(_ column: Int, of table: Int, _ rows: [[Int]]) -> Double {
        guard let row = rows[table].firstIndex(of: column) else { return Self.headHeight / 2 }
        return Self.headHeight + Self.rowHeight * (Double(row) + 0.5)
    }

    private func line(_ link: Link, from fromY: Double, to toY: Double, _ layout: LayeredLayout) -> Markup {
        let (start, end) = (layout.positions[link.from], layout.positions[link.to])
        let (startWidth, endWidth) = (layout.sizes[link.from].width, layout.sizes[link.to].width)
        // From the side that is nearer; tables above each other are joined on their left.
        let goesLeft = start.x >= end.x + endWidth
        let goesRight = end.x >= start.x + startWidth
        let startX = goesRight ? start.x + startWidth : start.x
        let endX = goesLeft ? end.x + endWidth : end.x
        let bend = max(24, min(90, abs(startX - endX) / 2))
        let (firstX, secondX) = (goesRight ? startX + bend : startX - bend, goesLeft ? endX + bend : endX - bend)
        let (startY, endY) = (start.y + fromY, end.y + toY)
        return """
            <path class="link" d="M\(startX) \(startY)C\(firstX) \(startY) \(secondX) \(endY) \(endX) \(endY)"/>\
            <circle class="dot" cx="\(endX)" cy="\(endY)" r="3"/>
            """
    }

    private func box(
        _ index: Int, _ rows: [Int], _ size: LayeredLayout.Size, _ position: LayeredLayout.Position
    ) -> Markup {
        let table = tables[index]
        let (x, y) = (position.x, position.y)
        let name: Markup = """
            <text class="name" x="\(x + 12)" y="\(y + 17)">\(table.name.shortened(to: Self.maximumName + 8))\
            <title>\(table.name)</title></text>
            """
        let link: Markup = table.address.map { "<a href=\"\($0)\">\(name)</a>" } ?? name
        let columns = rows.enumerated().map { row, index -> Markup in
            let column = table.columns[index]
            let base = y + Self.headHeight + Self.rowHeight * Double(row) + 14
            return """
                \(column.isKey ? "<circle class=\"dot\" cx=\"\(x + 10)\" cy=\"\(base - 4)\" r=\"3\"/>" as Markup : "")\
                <text x="\(x + 20)" y="\(base)">\(column.name.shortened(to: Self.maximumName))</text>\
                <text class="quiet end" x="\(x + size.width - 12)" y="\(base)">\(column.type.shortened(to: Self.maximumType))</text>
                """
        }
        let rest: Markup? =
            rows.count == table.columns.count
            ? nil
            : """
            <text class="quiet" x="\(x + 20)" y="\(y + Self.headHeight + Self.rowHeight * Double(rows.count) + 14)">\
            and \(table.columns.count - rows.count) more</text>
            """
        return """
            <g><rect class="box" x="\(x)" y="\(y)" width="\(size.width)" height="\(size.height)" rx="6"/>\
            <path class="head" d="M\(x) \(y + Self.headHeight)v\(6 - Self.headHeight)a6 6 0 0 1 6 -6h\(size.width - 12)\
            a6 6 0 0 1 6 6v\(Self.headHeight - 6)z"/>\(link)\(columns)\(rest)</g>
            """
    }
}
