import CFloor
import Foundation
import Harness

/// Zero-terminated copies of texts, for C.
final class CTexts {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { UnsafePointer(strdup($0)!) } }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
}

final class FindingList: Digestible {
    var list = FloorFindingList()

    deinit { floor_finding_list_free(&list) }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for finding in UnsafeBufferPointer(start: list.rows, count: list.count) {
            finding.title.digest(into: &checksum)
            finding.excerpt.digest(into: &checksum)
        }
    }
}

extension Connection {
    func insert(_ pages: [PageSample]) throws {
        let (titles, bodies) = (CTexts(pages.map(\.title)), CTexts(pages.map(\.body)))
        try check(floor_insert_pages(handle, titles.pointers, bodies.pointers, pages.count))
    }
}
