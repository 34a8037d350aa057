/// A file of the tz database that can't be used as a whole.
public enum ZoneinfoError: Error, Equatable, CustomStringConvertible {
    case unreadable(file: String, reason: String)
    case empty(file: String)

    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)"
        case .empty(let file): "\(file): holds no line but comments"
        }
    }
}
