import Harness
import Rowan

// Documents with JSON columns. The floor copies the JSON without decoding it.

struct Document: Decodable {
    struct Address: Decodable {
        var city: String
        var number: Int
        var street: String
    }

    struct Tag: Decodable {
        var name: String
        var weight: Int
    }

    var id: Int64
    var title: String
    var address: Address
    var tags: [Tag]
}

extension Document: FetchableRecord, TableRecord {}

extension Document: Digestible {
    /// Encodes the JSON again.
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(title)
        checksum.add(#"{"city":"\#(address.city)","number":\#(address.number),"street":"\#(address.street)"}"#)
        let tags = tags.map { #"{"name":"\#($0.name)","weight":\#($0.weight)}"# }
        checksum.add("[" + tags.joined(separator: ",") + "]")
    }
}
