// How the JSON of columns is decoded: quickly, where the strategies of the JSONDecoder allow it and the quick decoders
// succeed; otherwise by the JSONDecoder, whose values and errors count.

package import Foundation

/// The decoder of a JSON column.
package final class JSONColumnDecoder {
    private let decoder: JSONDecoder
    /// Nil if only the JSONDecoder can decode.
    private let options: JSONOptions?
    /// Whether the JSONDecoder has information of its own for types.
    private let hasOwnUserInfo: Bool

    /// - Parameter userInfo: added to the information of the decoder.
    package init(_ decoder: JSONDecoder, userInfo: [CodingUserInfoKey: Any] = [:]) {
        self.decoder = decoder
        hasOwnUserInfo = !decoder.userInfo.isEmpty
        for (key, value) in userInfo { decoder.userInfo[key] = assumeSendable(value) }
        options = JSONOptions(decoder)
    }

    /// Parses a column for a decoder that has only the information given to the initializer; nil if a JSONDecoder must
    /// decode the column, or if it has more information.
    package func document(_ column: ColumnValue) -> JSONDocument? { hasOwnUserInfo ? nil : parse(column) }

    private func parse(_ column: ColumnValue) -> JSONDocument? {
        guard let options else { return nil }
        return column.withJSON { JSONDocument($0, options: options) }
    }

    /// Decodes a column; nil if it is neither a text nor a blob.
    ///
    /// - Throws: the error of the JSONDecoder or of the type.
    package func decode<T: Decodable>(_ type: T.Type, from column: ColumnValue) throws -> T? {
        if let value = parse(column)?.decodeWhole(type) { return value }
        guard let data = column.withJSON({ Data($0) }) else { return nil }
        return try decoder.decode(type, from: data)
    }
}

extension ColumnValue {
    /// Calls a closure with the bytes of a text or a blob. Returns nil for other columns.
    fileprivate func withJSON<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T?) -> T? {
        if let result = withText({ Optional(body($0)) }) { return result }
        return data?.withUnsafeBytes { body($0.bindMemory(to: UInt8.self)) }
    }
}

extension JSONDocument {
    /// The value of the whole text; nil if a JSONDecoder must decode it, or must say what is wrong.
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
    /// The options of a decoder; nil if it is configured for what the quick decoders do not know.
    fileprivate init?(_ decoder: JSONDecoder) {
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
        userInfo = decoder.userInfo
    }
}
