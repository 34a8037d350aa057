// Text of HTML and SVG, in which values are escaped by their type.

/// HTML or SVG.
///
/// Interpolated texts are escaped, and interpolated markup is not:
///
/// ```swift
/// let cell: Markup = "<td>\(value)</td>"
/// ```
package struct Markup: ExpressibleByStringInterpolation, Sendable {
    package var text: String

    package init(stringLiteral text: String) { self.text = text }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }
        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        package mutating func appendInterpolation(_ markup: Markup?) { text += markup?.text ?? "" }
        package mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }
        package mutating func appendInterpolation(_ value: String) { value.escape(into: &text) }
        package mutating func appendInterpolation(_ value: Int) { text += String(value) }
        /// A length or a coordinate.
        package mutating func appendInterpolation(_ value: Double) {
            let rounded = (value * 100).rounded() / 100
            text += Int(exactly: rounded).map(String.init) ?? String(rounded)
        }
    }

    package static func + (one: Markup, other: Markup) -> Markup {
        var result = one
        result.text += other.text
        return result
    }

    package static func += (one: inout Markup, other: Markup) { one.text += other.text }
}

extension String {
    /// Appends the text without what markup gives a meaning to. Characters that a page can't contain are shown.
    fileprivate func escape(into result: inout String) {
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            // Unicode has pictures of these.
            case "\u{0}"..."\u{1F}": result.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value)!)
            case "\u{7F}": result += "\u{2421}"
            // These change the direction of the text after them, or are not characters of XML.
            case _ where scalar.properties.isBidiControl, "\u{80}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
                result += "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

/// A picture, with its size.
package struct Picture: Sendable {
    package let title: String
    package let width: Double
    package let height: Double
    package let body: Markup

    /// The picture in a page, whose styles are ``css``. Links in a picture are not part of an image.
    package var inline: Markup {
        """
        <svg viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="\(body.text.contains("<a ") ? "group" : "img")" \
        aria-label="\(title)"><title>\(title)</title>\(body)</svg>
        """
    }

    /// The picture as a file.
    package var file: String {
        let markup: Markup = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
            <title>\(title)</title>
            <style>\(Self.colors)\(Self.css)</style>
            \(body)
            </svg>

            """
        return markup.text
    }

    /// The colors of a file. A page has its own.
    private static let colors: Markup = """
        svg { --text: #1d2025; --quiet: #5c6470; --page: #fff; --panel: #f5f6f8; --line: #d4d8de; --accent: #0b62d6;
        font: 12px ui-monospace, monospace; background: var(--page); }
        @media (prefers-color-scheme: dark) { svg { --text: #eceef1; --quiet: #a3abb6; --page: #14161a; --panel: #1d2025;
        --line: #3a404a; --accent: #6cabff; } }

        """

    /// The styles of all pictures.
    package static let css: Markup = """
        svg text { fill: var(--text); font: 12px ui-monospace, monospace; }
        svg .quiet { fill: var(--quiet); }
        svg .name { font-weight: 600; }
        svg .end { text-anchor: end; }
        svg .middle { text-anchor: middle; }
        svg .box { fill: var(--page); stroke: var(--line); }
        svg .head { fill: var(--panel); stroke: var(--line); }
        svg .link { fill: none; stroke: var(--accent); stroke-width: 1.25; }
        svg .dot { fill: var(--accent); }
        svg .grid { stroke: var(--line); }
        svg .axis { stroke: var(--quiet); }
        svg .bar { fill: var(--accent); }
        svg .curve { fill: none; stroke: var(--accent); stroke-width: 2; }
        svg .tile { fill: var(--accent); fill-opacity: .16; stroke: var(--page); stroke-width: 2; }
        svg .tile.second { fill-opacity: .3; }
        svg .tile.free { fill: var(--quiet); }
        svg .scan { stroke: var(--warning, #a35200); stroke-width: 1.5; }
        svg a { text-decoration: none; }
        svg a:hover .name, svg a:focus .name { text-decoration: underline; }

        """
}

extension String {
    /// The text in a number of characters of a picture.
    package func shortened(to count: Int) -> String { self.count <= count ? self : prefix(max(0, count - 1)) + "…" }

    /// The width of the text in a picture.
    package var pictureWidth: Double { 7.3 * Double(count) }
}
