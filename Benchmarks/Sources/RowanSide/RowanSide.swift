public import Harness
import Rowan

/// Rowan, used as documented.
public struct RowanSide: Side {
    public let name = "rowan"

    public init() {}

    public func prepare(_ assignment: Assignment) throws -> any Run {
        switch assignment.workload {
        case .fetchIndex:
            try assignment.fetch { try IndexedInts.fetchAll($0) }
        case .fetchName:
            try assignment.fetch { try NamedInts.fetchAll($0) }
        case .fetchCodable:
            try assignment.fetch { try CodableInts.fetchAll($0) }
        case .fetchRecord:
            try assignment.fetch { try RecordInts.fetchAll($0) }
        case .fetchInt:
            try assignment.fetchInt()
        case .fetchPlace:
            try assignment.fetch { try Place.fetchAll($0) }
        case .fetchPlaceCodable:
            try assignment.fetch { try CodablePlace.fetchAll($0) }
        case .fetchPlaceRecord:
            try assignment.fetch { try RecordPlace.fetchAll($0) }
        case .fetchText:
            try assignment.fetch { try Order.fetchAll($0) }
        case .fetchTextCodable:
            try assignment.fetch { try CodableOrder.fetchAll($0) }
        case .fetchTextRecord:
            try assignment.fetch { try RecordOrder.fetchAll($0) }
        case .fetchJSON:
            try assignment.fetch { try Document.fetchAll($0) }
        case .fetchRows:
            try assignment.fetchRows()
        case .requestJSON:
            try assignment.requestJSON()
        case .insertStatement:
            try assignment.insertWithStatement()
        case .insertStruct:
            try assignment.insertStructs()
        case .insertAll:
            try assignment.insertAllStructs()
        case .insertCodable:
            try assignment.insertCodables()
        case .insertAllRecord:
            try assignment.insertAllRecords()
        case .insertRecord:
            try assignment.insertRecords()
        case .insertPlace:
            try assignment.insertPlaces()
        case .insertPlaceCodable:
            try assignment.insertCodablePlaces()
        case .insertPlaceRecord:
            try assignment.insertRecordPlaces()
        case .insertFile:
            try assignment.insertTickets()
        case .insertAllFile:
            try assignment.insertAllTickets()
        case .updateFile:
            try assignment.updateTickets()
        case .upsertFile:
            try assignment.upsertTickets()
        case .deleteFile:
            try assignment.deleteTickets()
        case .updateStruct:
            try assignment.updatePlaces()
        case .updatePlaceRecord:
            try assignment.updateRecordPlaces()
        case .updateChanges:
            try assignment.updateChangesOfItems()
        case .updateChangesRecord:
            try assignment.updateChangesOfRecords()
        case .saveJSON:
            try assignment.saveProfiles()
        case .recordClass:
            try assignment.saveObjects()
        case .namedArguments:
            try assignment.insertWithNamedArguments()
        case .script:
            try assignment.runScript()
        case .pointRead:
            try assignment.readPoints()
        case .pointReadRecord:
            try assignment.readRecordPoints()
        case .pointReadAccess:
            try assignment.readPoints(of: makeQueue(path: assignment.path))
        case .pointReadPool:
            try assignment.readPoints(of: makePool(path: assignment.path))
        case .pointWriteAccess:
            try assignment.writePoints()
        case .openClose:
            assignment.openAndClose()
        case .untrustedOpen:
            assignment.openAndCloseUntrusted()
        case .filteredRead:
            try assignment.readFiltered()
        case .scopedRead:
            try assignment.readScoped()
        case .scopedInsert:
            try assignment.writeScoped()
        case .changesetRecord:
            try assignment.recordTickets()
        case .changesetApply:
            try assignment.applyTickets()
        case .migrate:
            try assignment.migrate()
        case .checkSchema:
            try assignment.checkSchema()
        case .fullTextBuild:
            try assignment.insertPages()
        case .fullTextSearch:
            try assignment.search()
        case .vectorSearch:
            try assignment.searchVectors()
        case .cursorMillion:
            try assignment.iterateCursor()
        case .requestBuild:
            try assignment.buildRequests()
        case .includeAll:
            try assignment.fetchCodableAuthorsWithBooks()
        case .includeAllRows:
            try assignment.fetchAuthorsWithBooks()
        case .includeAllRecord:
            try assignment.fetchRecordAuthorsWithBooks()
        case .includeAllComposite:
            try assignment.fetchShelvesWithVolumes()
        case .joinBelongsTo:
            try assignment.fetchBooksWithAuthors()
        case .joinBelongsToCodable:
            try assignment.fetchCodableBooksWithAuthors()
        case .joinBelongsToRecord:
            try assignment.fetchRecordBooksWithAuthors()
        case .countHasMany:
            try assignment.countBooks()
        case .countThroughPivot:
            try assignment.countIssues()
        case .keysetPageFirst, .keysetPage, .scalePage1M, .scalePage10M:
            try assignment.fetchPages()
        case .pageDeep:
            try assignment.fetchRunnerPages()
        case .scaleInsert1M, .scaleInsert10M:
            try assignment.insertPlayers()
        case .scaleCursor1M, .scaleCursor10M:
            try assignment.iteratePlayers()
        case .scalePoints1M, .scalePoints10M:
            try assignment.readPlayers()
        case .scaleUpdateAll1M, .scaleUpdateAll10M:
            try assignment.updateAllPlayers()
        case .dumpCSV:
            try assignment.dumpCSV()
        case .dumpSQL:
            try assignment.dumpSQL()
        case .importCSV:
            try assignment.importPlayers()
        case .importJSONLines:
            try assignment.importPlayersFromJSON()
        case .insertObserved0, .insertObserved1, .insertObserved100:
            try assignment.insertObservedStructs()
        case .observeLatency:
            try assignment.waitForValues()
        case .observeStorm:
            try assignment.waitForStorm()
        case .poolRead, .poolReadWriter:
            try assignment.readInThreads()
        case .walBounded:
            try assignment.writePlacesWhileReading()
        case .asyncRead:
            try assignment.readPointsInTask()
        case .groupCommit:
            try assignment.writePointsInTasks()
        case .planAll, .planAllOther, .planUnindexed, .planUnindexedOther, .planOne, .planOneOther,
            .planOneUnindexed, .planOneUnindexedOther:
            try assignment.sumBooks()
        }
    }

    public func settings(_ pragmas: [String], of access: Access, path: String) throws -> [String] {
        let writer: any DatabaseWriter =
            switch access {
            case .queue: try makeQueue(path: path)
            case .writeAheadQueue: try makeWriteAheadQueue(path: path)
            case .pool: try makePool(path: path)
            case .writeAheadPool: try makeWriteAheadPool(path: path)
            case .durablePool: try makeDurablePool(path: path)
            }
        func values(_ db: Database) throws -> [String] {
            try pragmas.map { try String.fetchOne(db, sql: "PRAGMA \($0)") ?? "" }
        }
        defer { try? writer.close() }
        return try access == .durablePool ? writer.writeWithoutTransaction(values) : writer.read(values)
    }
}
