/// A request that the database can't fulfill.
public enum PlacesError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    case nothingImported(path: String)
    case noSuchZone(String)
    case nothingToChange(path: String)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "the database \(path) cannot be opened: \(reason)"
        case .nothingImported(let path):
            "there are no places in \(path): run \"places import\" first, or name another file with --database"
        case .noSuchZone(let zone):
            "no place has the zone \"\(zone)\": \"places list\" shows them all"
        case .nothingToChange(let path):
            "there are no such places in \(path): run \"places import\" first, or name another country"
        }
    }
}
