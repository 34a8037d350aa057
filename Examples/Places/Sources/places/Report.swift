import PlacesKit

/// The output of the commands.
enum Report {
    static func place(_ place: Place) -> String {
        let star = place.isFavorite ? "★" : " "
        return "\(star) \(padded(place.title, 22))\(padded(place.zone, 34))\(place.countryCode)  \(place.coordinate)"
    }

    static func change(_ change: PlaceChange) -> String {
        let kind =
            switch change.kind {
            case .edited(let latency): latency.inMilliseconds
            case .added: "added"
            case .changed: "changed"
            case .removed: "removed"
            }
        return "\(place(change.place))  \(kind)"
    }

    static func country(_ count: CountryCount) -> String {
        "\(padded(String(count.placeCount), 4, alignedRight: true))  \(count.country.code)  \(count.country.name)"
    }

    /// Prints the statements since the last call: the number of runs, the total duration, and the SQL.
    static func statements(_ log: StatementLog) {
        for entry in log.takeAll() {
            print("  sql \(entry)")
        }
    }

    private static func padded(_ text: String, _ width: Int, alignedRight: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return alignedRight ? padding + text : text + padding
    }
}
