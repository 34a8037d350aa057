// A query plan.

/// The steps of a query, indented below those that they belong to.
package struct PlanTree: Sendable {
    package struct Step: Sendable {
        package var text: String
        /// What should be looked at.
        package var remark: String?
        /// The rows that one run of the step finds, estimated.
        package var rows: Double?
        package var children: [Step]

        package init(text: String, remark: String?, rows: Double?, children: [Step]) {
            (self.text, self.remark, self.rows, self.children) = (text, remark, rows, children)
        }
    }

    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// All steps with their depths, in their order.
    package var lines: [(depth: Int, step: Step)] {
        func lines(_ steps: [Step], _ depth: Int) -> [(depth: Int, step: Step)] {
            steps.flatMap { [(depth, $0)] + lines($0.children, depth + 1) }
        }
        return lines(steps, 0)
    }

    package static func rows(_ count: Double) -> String {
        count == 1 ? "about 1 row" : "about \(Chart.label(count.rounded())) rows"
    }

    package func picture(title: String) -> Picture {
        let (indent, height, gap) = (28.0, 30.0, 10.0)
        let lines = lines
        var body: Markup = ""
        var width = 320.0
        /// The last line of each depth.
        var last: [Int] = []
        for (row, (depth, step)) in lines.enumerated() {
            let (x, y) = (12 + indent * Double(depth), 12 + (height + gap) * Double(row))
            last = Array(last.prefix(depth)) + [row]
            if depth > 0 {
                let parent = 12 + (height + gap) * Double(last[depth - 1]) + height
                body += "<path class=\"grid\" fill=\"none\" d=\"M\(x - indent / 2) \(parent)V\(y + height / 2)H\(x)\"/>"
            }
            let note = [step.rows.map(Self.rows), step.remark].compactMap(\.self).joined(separator: ", ")
            let text = step.text.shortened(to: 100)
            let boxWidth = text.pictureWidth + 24
            body += """
                <rect class="box\(step.remark == nil ? "" : " scan")" x="\(x)" y="\(y)" width="\(boxWidth)" height="\(height)" rx="6"/>\
                <text x="\(x + 12)" y="\(y + 19)">\(text)</text>\
                <text class="quiet" x="\(x + boxWidth + 10)" y="\(y + 19)">\(note)</text>
                """
            width = max(width, x + boxWidth + 22 + note.pictureWidth)
        }
        return Picture(
            title: title, width: width, height: 24 + (height + gap) * Double(max(1, lines.count)) - gap, body: body)
    }
}
