// Decoding of the parts of joined rows. A join accepts requests of any type because a struct may decode its rows.
// Whether the type of a part can be decoded is determined once, when the request is created.

/// The part of a request in joined rows.
struct JoinedPart<Element> {
    /// The scope of the part; nil for the first request.
    let key: String?
}

enum JoinedElement {
    /// Decodes a part that each row contains.
    static func required<Element>(_ part: JoinedPart<Element>) -> @Sendable (Row) throws -> Element {
        let (key, decode) = (part.key, decoder(of: Element.self))
        return { row in try decode(key.map { row.scopes[$0]! } ?? row) }
    }

    /// Decodes a part that may be missing, in which case all its columns are NULL.
    static func optional<Element>(_ part: JoinedPart<Element>) -> @Sendable (Row) throws -> Element? {
        let (key, decode) = (part.key, decoder(of: Element.self))
        return { row in
            let part = key.map { row.scopes[$0]! } ?? row.unscoped
            return part.holds(Element.self) ? try decode(part) : nil
        }
    }

    private static func decoder<Element>(of type: Element.Type) -> @Sendable (Row) throws -> Element {
        if let record = type as? any FetchableRecord.Type { return { try record.element(of: $0, as: Element.self) } }
        if type == Row.self { return { try RowElements.detachedElement(of: $0) as! Element } }
        if let value = type as? any DatabaseValueConvertible.Type { return { try value.leftmost(of: $0) as! Element } }
        return { _ in
            throw RowDecodingError(
                reason:
                    "cannot decode \(Element.self) from a joined row: make it a FetchableRecord, or decode the rows "
                    + "into another type with asRequest(of:)")
        }
    }
}

extension DatabaseValueConvertible {
    fileprivate static func leftmost(of row: Row) throws -> Self { try ValueElements<Self>.element(of: row) }
}
