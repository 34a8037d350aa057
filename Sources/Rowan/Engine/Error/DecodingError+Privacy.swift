// Swift's decoding errors quote values: "Cannot initialize Status from invalid String value …".

extension DecodingError {
    /// The same error without the texts that may quote a value.
    package var withoutValues: DecodingError {
        switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, context.with(problem))
        case .valueNotFound(let type, let context): .valueNotFound(type, context.with(problem))
        case .keyNotFound(let key, let context): .keyNotFound(key, context.with(problem))
        case .dataCorrupted(let context): .dataCorrupted(context.with(problem))
        @unknown default: self
        }
    }

    /// The problem and its path, without values: dictionary keys are values, too.
    @_spi(Satellites) public var summary: String {
        let path = (context?.codingPath ?? []).map(\.shown).joined(separator: ".")
        return path.isEmpty ? problem : "\(problem) at \(path)"
    }

    private var problem: String {
        switch self {
        case .typeMismatch(let type, _): "the value is not of type \(type)"
        case .valueNotFound(let type, _): "there is no value of type \(type)"
        case .keyNotFound(let key, _): "there is no value for the key \(key.shown)"
        case .dataCorrupted: "the value is invalid"
        @unknown default: "the value is invalid"
        }
    }

    private var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}

extension DecodingError.Context {
    fileprivate func with(_ description: String) -> Self { Self(codingPath: codingPath, debugDescription: description) }
}

extension CodingKey {
    /// The key, unless it may be a dictionary key: those have Swift and Foundation types.
    fileprivate var shown: String {
        if let intValue { return String(intValue) }
        let type = String(reflecting: Self.self)
        return type.hasPrefix("Swift.") || type.hasPrefix("Foundation") ? "…" : stringValue
    }
}
