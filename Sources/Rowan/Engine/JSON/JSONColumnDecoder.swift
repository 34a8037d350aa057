// Decoding of JSON columns: with the quick decoders, where the JSONDecoder's strategies allow it and they succeed;
// otherwise with the JSONDecoder, whose values and errors are authoritative.

package import RowanPlatform

/// The decoder of a JSON column.
package final class JSONColumnDecoder {
    private let decoder: JSONDecoder
    /// Nil if only the JSONDecoder can decode.
    private let options: JSONOptions?
    /// The information passed to types: the decoder's, plus the record's.
    package let userInfo: [CodingUserInfoKey: Any]
    private let addsUserInfo: Bool

    /// - Parameter userInfo: added to the information of the decoder.
    package init(_ decoder: JSONDecoder, userInfo: [CodingUserInfoKey: Any] = [:]) {
        self.decoder = decoder
        addsUserInfo = !userInfo.isEmpty
        self.userInfo = decoder.userInfo.adding(userInfo)
        options = JSONOptions(decoder, userInfo: self.userInfo)
    }

    /// Parses a column; nil if a JSONDecoder must decode it.
    package func document(_ column: ColumnValue) -> JSONDocument? {
        guard let options else { return nil }
        return column.withJSON { JSONDocument($0, options: options) }
    }

    /// Decodes a column; nil if it is neither a text nor a blob.
    ///
    /// - Throws: an error of the JSONDecoder or of the type.
    package func decode<T: Decodable>(_ type: T.Type, from column: ColumnValue) throws -> T? {
        if let value = document(column)?.decodeWhole(type) { return value }
        guard let data = column.withJSON({ Data($0) }) else { return nil }
        return try decoder.adding(addsUserInfo ? userInfo : [:]) { try decoder.decode(type, from: data) }
    }
}

extension [CodingUserInfoKey: any Sendable] {
    /// The information of a coder merged with that of a record. The coder's own values take precedence.
    package func adding(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: Any] {
        (self as [CodingUserInfoKey: Any]).merging(userInfo) { own, _ in own }
    }
}

extension JSONDecoder {
    /// Runs the closure while the decoder has additional information, which must not be visible to other types that the
    /// program shares the decoder with.
    fileprivate func adding<T>(_ userInfo: [CodingUserInfoKey: Any], _ decode: () throws -> T) rethrows -> T {
        guard !userInfo.isEmpty else { return try decode() }
        let own = self.userInfo
        defer { self.userInfo = own }
        for (key, value) in userInfo where own[key] == nil { self.userInfo[key] = assumeSendable(value) }
        return try decode()
    }
}

extension JSONEncoder {
    /// Runs the closure while the encoder has additional information, which must not be visible to other types that the
    /// program shares the encoder with.
    package func adding<T>(_ userInfo: [CodingUserInfoKey: Any], _ encode: () throws -> T) rethrows -> T {
        guard !userInfo.isEmpty else { return try encode() }
        let own = self.userInfo
        defer { self.userInfo = own }
        for (key, value) in userInfo where own[key] == nil { self.userInfo[key] = assumeSendable(value) }
        return try encode()
    }
}

extension ColumnValue {
    /// Whether the column is the JSON text `null`.
    package var isJSONNull: Bool {
        withJSON { bytes in
            guard let start = bytes.firstIndex(where: { !$0.isJSONSpace }) else { return false }
            return bytes[start...].prefix(4).elementsEqual("null".utf8)
                && bytes[start...].dropFirst(4).allSatisfy(\.isJSONSpace)
        } ?? false
    }

    /// Calls the closure with the bytes of a text or a blob. Returns nil for other columns.
    fileprivate func withJSON<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T?) -> T? {
        if let result = withText({ Optional(body($0)) }) { return result }
        return data?.withUnsafeBytes { body($0.bindMemory(to: UInt8.self)) }
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension JSONDocument {
    /// The value of the whole text; nil if a JSONDecoder must decode it or report what is wrong.
    fileprivate func decodeWhole<T: Decodable>(_ type: T.Type) -> T? {
        do {
            let value = try decode(type, at: 0, nil)
            return needsFoundation ? nil : value
        } catch {
            return nil
        }
    }
}

extension JSONOptions {
    /// The options of a decoder; nil if the quick decoders don't support its configuration.
    fileprivate init?(_ decoder: JSONDecoder, userInfo: [CodingUserInfoKey: Any]) {
        // A subclass may override anything.
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary,
            case .useDefaultKeys = decoder.keyDecodingStrategy, case .throw = decoder.nonConformingFloatDecodingStrategy
        else { return nil }
        switch decoder.dateDecodingStrategy {
        case .deferredToDate: dates = .ownCoding
        case .secondsSince1970: dates = .seconds
        case .millisecondsSince1970: dates = .milliseconds
        default: return nil
        }
        switch decoder.dataDecodingStrategy {
        case .base64: dataIsBase64 = true
        case .deferredToData: dataIsBase64 = false
        default: return nil
        }
        self.userInfo = userInfo
    }
}
