import Rowan

/// A place found by a search.
public struct FoundPlace: FetchableRecord, Sendable {
    public let place: Place
    /// The title, with the words of the search in brackets.
    public let markedTitle: String

    public init(row: Row) throws {
        place = try Place(row: row)
        markedTitle = row["markedTitle"]
    }
}

extension Place {
    /// The places whose titles contain words with the given prefixes, the most relevant ones first. Any user input is
    /// valid.
    public static func search(_ text: String, limit: Int, _ db: Database) throws -> [FoundPlace] {
        guard let pattern = FTS5Pattern(matchingAllPrefixesIn: text) else { return [] }
        let request: SQLRequest<FoundPlace> = """
            SELECT place.*, highlight(placeText, 0, '[', ']') AS markedTitle
            FROM placeText JOIN place ON place.id = placeText.rowid
            WHERE placeText MATCH \(pattern)
            ORDER BY placeText.rank, place.title
            LIMIT \(limit)
            """
        return try request.fetchAll(db)
    }
}
