// Records declared in another file, where their conformances must be found.

import Rowan

func useOfRecordsOfAnotherFile(_ db: Database) throws -> Int {
    let names = try Town.filter { $0.name != "" }.fetchAll(db).map(\.name) + Town.fetchAll(db).map(\.name)
    let pairs = try Pair.fetchCount(db)
    let joined = try Place.including(optional: Place.town).fetchAll(db)
    return try names.count + pairs + joined.count + (Town.find(db, id: 1).id == 1 ? 1 : 0)
}
