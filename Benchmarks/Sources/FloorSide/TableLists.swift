import CFloor
import Foundation
import Harness

// The result lists of the queries of orders, documents, measures and shelves.

final class OrderList: Digestible {
    var list = FloorOrderList()

    deinit {
        floor_order_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for order in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(order.id)
            checksum.add(order.customerId)
            withUnsafeBytes(of: order.texts) { bytes in
                for text in bytes.bindMemory(to: FloorText.self) { text.digest(into: &checksum) }
            }
            checksum.add(order.employeeId.isNull ? -1 : order.employeeId.value)
            checksum.add(order.shipperId.isNull ? -1 : order.shipperId.value)
            checksum.add(Int64((order.freight * 1000).rounded()))
        }
    }
}

final class JSONText: Digestible {
    var bytes: UnsafeMutablePointer<CChar>?

    deinit { free(bytes) }

    func digest(into checksum: inout Checksum) {
        // A text that is not an array of places gives a checksum that differs from the libraries'.
        try? bytes.map { try PlacesJSON.digest(Data(bytes: $0, count: strlen($0)), into: &checksum) }
    }
}

final class DocumentList: Digestible {
    var list = FloorDocumentList()

    deinit {
        floor_document_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for document in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(document.id)
            document.title.digest(into: &checksum)
            document.address.digest(into: &checksum)
            document.tags.digest(into: &checksum)
        }
    }
}

final class MeasureList: Digestible {
    var list = FloorMeasureList()

    deinit {
        floor_measure_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for measure in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(measure.id)
            checksum.add(measure.station)
            checksum.add(measure.value)
            measure.unit.digest(into: &checksum)
            measure.note.digest(into: &checksum)
            measure.raw.digest(into: &checksum)
        }
    }
}

final class ShelfList: Digestible {
    var list = FloorShelfList()

    deinit {
        floor_shelf_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for shelf in UnsafeBufferPointer(start: list.rows, count: list.count) {
            shelf.room.digest(into: &checksum)
            checksum.add(shelf.number)
            shelf.label.digest(into: &checksum)
            checksum.add(Int64(shelf.volumes.count))
            // The order is unspecified.
            let volumes = UnsafeBufferPointer(start: shelf.volumes.rows, count: shelf.volumes.count)
            for volume in volumes.sorted(by: { $0.id < $1.id }) {
                checksum.add(volume.id)
                volume.room.digest(into: &checksum)
                checksum.add(volume.shelfNumber)
                volume.title.digest(into: &checksum)
            }
        }
    }
}
