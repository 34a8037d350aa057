extension Fixture.Table {
    static let profileTable = """
        CREATE TABLE profile (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            address TEXT NOT NULL,
            tags TEXT NOT NULL)
        """

    static let profileProof =
        "SELECT group_concat(id || name || address || tags) FROM (SELECT * FROM profile ORDER BY id)"
}

/// A record with two JSON columns, and their texts: keys in alphabetical order, without spaces.
public struct ProfileSample: Sendable {
    public let id: String
    public let name: String
    public let city: String
    public let number: Int
    public let street: String
    public let tags: [(name: String, weight: Int)]

    public var address: String { #"{"city":"\#(city)","number":\#(number),"street":"\#(street)"}"# }
    public var tagTexts: String {
        "[" + tags.map { #"{"name":"\#($0.name)","weight":\#($0.weight)}"# }.joined(separator: ",") + "]"
    }
}

extension Samples {
    /// Records with unordered keys.
    public func profiles(_ count: Int) -> [ProfileSample] {
        var random = SplitMix64(seed: 11)
        return (0..<count).map { index in
            let (high, low) = (String(random.next(), radix: 16), String(random.next(), radix: 16))
            return ProfileSample(
                id: "\(high)-\(low)", name: "Profile \(index)", city: "City \(index % 211)", number: index % 97,
                street: "Street of number \(index)",
                tags: [("tag\(index % 13)", index % 7), ("tag\(index % 17)", index % 5)])
        }
    }
}
