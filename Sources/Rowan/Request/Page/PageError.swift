// Errors in page requests. They concern data that clients send, so a server can respond to them.

/// An error in a page request: in its size, or in the token that marks its start.
///
/// ```swift
/// do {
///     let page = try Player.order(\.score.desc).page(after: token, size: size).fetch(db)
/// } catch let error as PageError {
///     return Response(status: .badRequest, text: error.description)
/// }
/// ```
public enum PageError: Error, Hashable, Sendable {
    /// The token belongs to a request with another order.
    case otherOrder
    /// The size of the page is not positive or is too large.
    case size(Int)
    /// The text is not a token.
    case malformedToken
}

extension PageError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .otherOrder: "the page token belongs to a request with another order: start with the first page"
        case .size(let size): "cannot make a page of \(size) rows: pass a positive size"
        case .malformedToken: "this is not a page token: start with the first page"
        }
    }
}
