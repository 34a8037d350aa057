import Rowan

/// A place that a search has found.
public struct FoundPlace: FetchableRecord, Sendable {
    public let place: Place
    /// The title, with the words of the search between brackets.
    public let markedTitle: String

    public init(row: Row) throws {
        place = try Place(row: row)
        markedTitle = row["markedTitle"]
    }
}

extension Place {
    /// The places whose titles have words that begin as those of a text do, the most relevant first: any text of a user
    /// is valid.
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
