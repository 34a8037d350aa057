import Foundation
import PlacesKit

/// What `follow` prints: on a terminal, a screen of the last changes; elsewhere, a line for each change.
struct FollowView {
    private let path: String
    /// Nil if standard output is not a terminal.
    private var screen: TerminalScreen?
    private var lastLines: [String] = []
    private(set) var summary = FollowSummary()

    /// How many changes the screen shows.
    private static let lineCount = 10

    init(path: String) {
        self.path = path
        screen = isatty(STDOUT_FILENO) == 1 ? TerminalScreen() : nil
    }

    mutating func open(_ places: FollowedPlaces) {
        if screen == nil {
            write("Following \(count(places)) of \(path).\n")
        } else {
            write(TerminalScreen.opening)
            draw(places)
        }
    }

    mutating func show(_ changes: some Collection<PlaceChange>, of places: FollowedPlaces) {
        for change in changes {
            summary.add(change)
            lastLines.append(Report.change(change))
        }
        lastLines = lastLines.suffix(Self.lineCount)
        if screen == nil {
            write(changes.map { Report.change($0) + "\n" }.joined())
        } else {
            draw(places)
        }
    }

    /// Leaves the terminal as it was, with the last screen.
    mutating func close() {
        write(screen == nil ? "\(summary)\n" : TerminalScreen.closing)
    }

    private mutating func draw(_ places: FollowedPlaces) {
        let header = "Following \(count(places)) of \(path). Ctrl-C ends."
        write(screen?.drawing([header] + lastLines + ["\(summary)"]) ?? "")
    }

    private func count(_ places: FollowedPlaces) -> String {
        let number = places.places.count
        return "\(number) \(number == 1 ? "place" : "places") (\(places.favoriteCount) favourites)"
    }

    /// Prints immediately: the reader of a pipe waits for it.
    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
