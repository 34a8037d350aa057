import Foundation
import PlacesKit

/// The output of `follow`: on a terminal, a screen with the last changes; otherwise, a line for each change.
struct FollowView {
    private let path: String
    /// Nil if standard output is not a terminal.
    private var screen: TerminalScreen?
    private var lastLines: [String] = []
    private(set) var summary = FollowSummary()

    /// The number of changes on the screen.
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

    /// Restores the terminal, leaving the last screen.
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

    /// Prints immediately, because the reader of a pipe is waiting.
    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
