// What all pages have.

import Foundation
import RowanCommands
import RowanPictures

struct Layout {
    let title: String
    var table: String?
    var section = ""
    let body: Markup

    init(title: String, table: String? = nil, section: String = "", body: Markup) {
        (self.title, self.table, self.section, self.body) = (title, table, section, body)
    }

    /// - Parameter commit: the number of commits before the page was read.
    func page(_ fileName: String, _ names: (tables: [String], views: [String])?, commit: Int) -> Markup {
        let sections = [("", "Tables"), ("query", "Query"), ("diagram", "Diagram"), ("space", "Space")]
        let links = sections.map { path, name -> Markup in
            "<li><a href=\"/\(path)\"\(Self.current(path == section && table == nil))>\(name)</a></li>"
        }
        return """
            <!doctype html>
            <html lang="en" data-commit="\(commit)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) – \(fileName)</title>
            <link rel="icon" href="/icon.svg">
            <link rel="stylesheet" href="/inspect.css">
            <script type="module" src="/inspect.js"></script>
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <header>
            <a class="file" href="/">\(fileName)</a>
            <nav aria-label="Pages"><ul>\(links)</ul></nav>
            <div id="live" hidden><span id="news" role="status"></span><button type="button" aria-pressed="false">Pause</button></div>
            </header>
            <div class="frame">
            \(names.map(side) ?? "")
            <main id="content">
            \(body)
            </main>
            </div>
            </body>
            </html>

            """
    }

    static func current(_ isCurrent: Bool) -> Markup { isCurrent ? " aria-current=\"page\"" : "" }

    private func side(_ names: (tables: [String], views: [String])) -> Markup {
        func links(_ names: [String]) -> [Markup] {
            names.map { name in
                "<li><a href=\"\(Address(["table", name]).text)\"\(Self.current(name == table))>\(name.shortened(to: 80))</a></li>"
            }
        }
        let views: Markup = names.views.isEmpty ? "" : "<h2>Views</h2><ul>\(links(names.views))</ul>"
        return """
            <nav class="side" aria-label="Tables" id="tables"><h2>Tables</h2><ul>\(links(names.tables))</ul>\(views)</nav>
            """
    }

    /// A picture with its data.
    static func figure(_ picture: Picture, _ data: Markup) -> Markup {
        """
        <figure><div class="scroll" tabindex="0" role="region" aria-label="\(picture.title)">\(picture.inline)</div>\
        <details><summary>Data of the picture</summary>\(data)</details></figure>
        """
    }

    /// - Parameter numbers: the columns that contain numbers.
    static func table(_ columns: [String], _ rows: [[Markup]], numbers: Set<Int> = [], caption: String) -> Markup {
        func style(_ index: Int, _ cell: Markup? = nil) -> Markup {
            numbers.contains(index) ? " class=\"number\"" : (cell?.text.count ?? 0) > 32 ? " class=\"long\"" : ""
        }
        let head = columns.enumerated().map { "<th scope=\"col\"\(style($0))>\($1)</th>" as Markup }
        let body = rows.map { row -> Markup in
            let cells = row.enumerated().map { "<td\(style($0, $1))>\($1)</td>" as Markup }
            return "<tr>\(cells)</tr>"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table><caption class="unseen">\(caption)</caption>\
            <thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table></div>
            """
    }
}
