import CFloor
import Harness

final class NeighborList: Digestible {
    var list = FloorNeighborList()

    deinit { floor_neighbor_list_free(&list) }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for neighbor in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(neighbor.id)
            checksum.add(neighbor.distance)
        }
    }
}

extension FloorSide {
    /// Calls the closure while all connections opened by the process have the sqlite-vec extension.
    ///
    /// - Parameter library: the path of the extension.
    public func withVectors<T>(_ library: String, _ body: () throws -> T) throws -> T {
        guard floor_add_vectors(library) == 0 else {
            throw FloorError(code: -1, message: "cannot load \(library)")
        }
        defer { floor_remove_vectors() }
        return try body()
    }
}
