import CFloor
import Harness

// The result lists of the floor's functions: objects that own their memory, because C needs their address.

final class IntsList: Digestible {
    var list = FloorIntsList()

    deinit {
        floor_ints_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for row in UnsafeBufferPointer(start: list.rows, count: list.count) {
            for value in [row.c0, row.c1, row.c2, row.c3, row.c4, row.c5, row.c6, row.c7, row.c8, row.c9] {
                checksum.add(value)
            }
        }
    }
}

final class IntList: Digestible {
    var list = FloorIntList()

    deinit {
        floor_int_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for value in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(value)
        }
    }
}

final class PlaceList: Digestible {
    var list = FloorPlaceList()

    init() {}

    /// Places without an id.
    init(_ samples: ArraySlice<PlaceSample>) throws {
        for sample in samples {
            try append(FloorPlace(sample))
        }
    }

    deinit {
        floor_place_list_free(&list)
    }

    private func append(_ place: FloorPlace) throws {
        let code = floor_place_list_append(&list, place)
        guard code == 0 else { throw FloorError(code: code, message: "out of memory") }
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for place in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(place.id)
            place.title.digest(into: &checksum)
            checksum.add(place.isFavorite)
            checksum.add(place.latitude)
            checksum.add(place.longitude)
            place.note.digest(into: &checksum)
            checksum.add(secondsSince1970: place.created)
        }
    }
}

final class Sum: Digestible {
    var value: Int64 = 0

    func digest(into checksum: inout Checksum) {
        checksum.add(value)
    }
}

struct Nothing: Digestible {
    func digest(into checksum: inout Checksum) {}
}

// MARK: - Samples and checksums

extension FloorText {
    init(_ string: String) {
        var copy = string
        self = copy.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { floor_text($0.baseAddress, CInt($0.count)) }
        }
    }

    func digest(into checksum: inout Checksum) {
        guard let bytes else { return checksum.add(nil) }
        checksum.add(utf8: UnsafeRawBufferPointer(start: bytes, count: Int(length)))
    }
}

extension FloorPlace {
    /// A place without an id.
    init(_ sample: PlaceSample) {
        self.init(
            id: 0,
            title: FloorText(sample.title),
            isFavorite: sample.isFavorite,
            latitude: sample.latitude,
            longitude: sample.longitude,
            note: sample.note.map(FloorText.init) ?? FloorText(),
            created: sample.secondsSince1970)
    }
}

extension FloorInts {
    init(_ sample: IntsSample) {
        let v = sample.values
        self.init(
            c0: v[0], c1: v[1], c2: v[2], c3: v[3], c4: v[4], c5: v[5], c6: v[6], c7: v[7], c8: v[8], c9: v[9])
    }
}
