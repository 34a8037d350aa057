import FloorSide
import Harness

#if ROWAN_SIDE
import RowanSide
#endif
#if GRDB_SIDE
import GRDBSide
#endif

/// The sides that the manifest includes in this build, in the order in which they run.
enum Sides {
    static var all: [any Side] { [FloorSide()] + rowan + peer }

    #if ROWAN_SIDE
    private static var rowan: [any Side] { [RowanSide()] }
    #else
    private static var rowan: [any Side] { [] }
    #endif

    #if GRDB_SIDE
    private static var peer: [any Side] { [GRDBSide()] }
    #else
    private static var peer: [any Side] { [] }
    #endif

    /// The sides with these names, or all of them.
    static func selected(_ names: [String]?) throws -> [any Side] {
        guard let names else { return all }
        for name in names where !all.contains(where: { $0.name == name }) {
            throw Failure("no side is called \(name), or it was left out of the build")
        }
        return all.filter { names.contains($0.name) }
    }
}
