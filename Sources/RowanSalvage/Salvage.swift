// The order of the recovery: tables, their rows, the pages of no table, then everything that would refuse rows or change
// them. Unique indexes come before the rows, because the recovered database must respect them.

import Rowan
import RowanPlatform

/// A recovery of a damaged file.
final class Salvage {
    private let file: DamagedFile
    private let db: Database
    private let encoding: FileHeader.Encoding
    private let lost: LostTable
    private var trees: TreeReader
    private var objects: [Object]
    private var report: SalvageReport

    /// An object whose definition was read.
    private struct Object {
        let source: SalvagedObject
        let definition: SQLDefinition
        /// A table of the recovered database, if it could be created.
        var writer: TableWriter?

        var name: String { source.name }
        var isVirtual: Bool { definition.isVirtualTable }
    }

    init(_ file: DamagedFile, _ schema: SalvagedSchema, into db: Database) throws {
        (self.file, self.db, encoding, trees) = (file, db, schema.encoding, schema.trees)
        lost = LostTable(db, encoding, reservedNames: Set(schema.objects.map(\.name.foldedDatabaseName)))
        report = SalvageReport(
            pageSize: file.header.pageSize, pageCount: Int(file.pageCount), isHeaderIntact: file.header.isIntact)
        objects = []
        for row in schema.others {
            try lost.insert(row, root: 1, table: "sqlite_schema", reason: "the row defines nothing that SQLite knows")
        }
    }

    /// Sets what must be set before the first table is created.
    static func prepare(_ db: Database, _ header: FileHeader, _ encoding: FileHeader.Encoding) throws {
        try db.execute(
            sql: """
                PRAGMA page_size = \(header.pageSize);
                PRAGMA encoding = '\(encoding.name)';
                PRAGMA auto_vacuum = \(header.hasPointerMap ? 1 : 0);
                PRAGMA foreign_keys = OFF;
                PRAGMA ignore_check_constraints = ON
                """)
    }

    /// Recovers everything.
    func run(_ found: [SalvagedObject], freePages: Bool) throws -> SalvageReport {
        try db.execute(
            sql: """
                PRAGMA user_version = \(file.header.userVersion);
                PRAGMA application_id = \(file.header.applicationID)
                """)
        try readTables(found)
        try trees.leaveOut(freePages: !freePages)
        let known = Set(found.map(\.name.foldedDatabaseName))
        let more = try lostObjects().filter { !known.contains($0.name.foldedDatabaseName) }
        if !more.isEmpty { try readTables(more) }
        for (page, root) in try trees.lostPages() {
            try trees.readPage(page) { row in
                try lost.insert(row, root: root, table: nil, reason: "the page belongs to no table")
            }
        }
        try finishSchema(found + more)
        report.lostTable = lost.name
        report.lostRowCount = lost.rowCount
        report.incompleteRowCount = lost.incompleteRowCount
        report.unreadableRowCount = trees.unreadableRowCount
        report.damagedPages = trees.damagedPages.map(Int.init).sorted()
        return report
    }

    /// The definitions in pages that lead to no table, if pages of the schema are damaged.
    private func lostObjects() throws -> [SalvagedObject] {
        var objects: [SalvagedObject] = []
        // Reading a page of a copy doesn't use it up.
        var reader = trees
        for (page, _) in try reader.lostPages() {
            try reader.readPage(page) { row in
                if row.defect == nil, let object = SalvagedObject(row, encoding), object.sql != nil {
                    objects.append(object)
                }
            }
        }
        return objects
    }

    // MARK: Tables

    private func readTables(_ found: [SalvagedObject]) throws {
        let first = objects.count
        for object in found {
            guard let sql = object.sql, !object.isInternal else { continue }
            do {
                let definition = try SQLDefinition(sql, type: object.type, name: object.name)
                objects.append(Object(source: object, definition: definition))
            } catch { try fail(object, error) }
        }
        for index in objects.indices[first...] where objects[index].source.type == "table" && !objects[index].isVirtual
        {
            if try create(objects[index]) { objects[index].writer = try TableWriter(db, objects[index].name, encoding) }
        }
        for object in objects[first...] where object.definition.isUniqueIndex { try create(object) }
        try trees.findContestedPages(
            found.filter { $0.root > 1 }.map { object in
                let writer = objects[first...].first { $0.name == object.name }?.writer
                return (object.root, object.type == "table" && writer?.hasRowID ?? true)
            })
        for object in found where object.type == "table" && object.root > 1 {
            try readTable(object, objects[first...].first { $0.name == object.name }?.writer)
        }
        for object in found where object.type == "index" && object.root > 1 {
            try trees.readTree(root: object.root, isTable: false) { _ in }
        }
    }

    private func readTable(_ object: SalvagedObject, _ writer: TableWriter?) throws {
        var table = SalvageReport.Table(name: object.name)
        let damageCount = trees.damagedPages.count
        let name = object.name.foldedDatabaseName
        func receive(_ row: StoredRow) throws {
            let reason: String?
            if let writer {
                reason = try writer.insert(row)
            } else if name == "sqlite_sequence" {
                reason = try continueSequence(row) ? nil : "the table of the sequence doesn't exist"
            } else if name.hasPrefix("sqlite_stat") {
                // ANALYZE makes new statistics.
                reason = nil
            } else {
                reason = "the table could not be created"
            }
            guard let reason else { return table.rowCount += 1 }
            table.lostRowCount += 1
            try lost.insert(row, root: object.root, table: object.name, reason: reason)
        }
        let hasRoot = try trees.readTree(root: object.root, isTable: writer?.hasRowID ?? true, receive)
        if !hasRoot, writer == nil { try trees.readTree(root: object.root, isTable: false, receive) }
        table.damagedPageCount = trees.damagedPages.count - damageCount
        if !object.isInternal { report.tables.append(table) }
    }

    /// Sets the next rowid of a table with AUTOINCREMENT.
    private func continueSequence(_ row: StoredRow) throws -> Bool {
        guard row.defect == nil, row.record.values.count == 2, let name = row.record.text(at: 0, encoding),
            case .integer(let last) = row.record.values[1], try db.tableExists("sqlite_sequence")
        else { return false }
        guard objects.contains(where: { $0.writer != nil && $0.name == name }) else { return false }
        sequence[name] = max(sequence[name] ?? last, last)
        return true
    }

    private var sequence: [String: Int64] = [:]

    // MARK: Schema

    /// Creates an object as its definition says.
    ///
    /// - Returns: whether it was created. If not, the report has the reason.
    @discardableResult
    private func create(_ object: Object) throws -> Bool {
        do {
            try db.execute(sql: object.definition.sql)
            return true
        } catch let error as DatabaseError where error.concernsDefinition {
            try fail(object.source, error)
            return false
        }
    }

    private func fail(_ object: SalvagedObject, _ error: any Error) throws {
        let message = (error as? DatabaseError)?.message ?? "\(error)"
        report.failures.append(
            SalvageReport.Failure(type: object.type, name: object.name, sql: object.sql ?? "", message: message))
    }

    private func finishSchema(_ found: [SalvagedObject]) throws {
        for (name, last) in sequence {
            // The rows that were inserted have made a row for the table.
            try db.execute(sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", arguments: [last, name])
            if db.changesCount == 0 {
                try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [name, last])
            }
        }
        try createVirtualTables()
        for type in ["index", "view", "trigger"] {
            for object in objects where object.source.type == type && !object.definition.isUniqueIndex {
                try create(object)
            }
        }
        if found.contains(where: { $0.name.foldedDatabaseName == "sqlite_stat1" }) {
            try db.execute(sql: "ANALYZE main")
        }
        do {
            let violations = try db.foreignKeyViolations()
            while try violations.next() != nil { report.foreignKeyViolationCount += 1 }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // SQLite can't check a foreign key that refers to no key of its table.
        }
    }

    /// Adds virtual tables to the schema. The tables in which they store their content are there: CREATE VIRTUAL TABLE
    /// would create them again.
    private func createVirtualTables() throws {
        let tables = objects.filter(\.isVirtual)
        guard !tables.isEmpty else { return }
        try db.execute(sql: "PRAGMA writable_schema = ON")
        for table in tables {
            do {
                guard try !db.tableExists(table.name), try !db.viewExists(table.name) else {
                    throw DatabaseError(message: "there is another table with this name")
                }
                try db.execute(
                    sql: """
                        INSERT INTO main.sqlite_master (type, name, tbl_name, rootpage, sql)
                        VALUES ('table', ?1, ?1, 0, ?2)
                        """, arguments: [table.name, table.definition.sql])
            } catch let error as DatabaseError where error.concernsDefinition {
                try fail(table.source, error)
            }
        }
        var name = "rowan_salvage"
        while try db.tableExists(name) { name += "_" }
        // Creating a table lets other connections read the schema again.
        try db.execute(sql: "PRAGMA writable_schema = RESET; CREATE TABLE \(name)(id); DROP TABLE \(name)")
    }
}

extension DatabaseError {
    /// Whether only the definition of an object is the cause, and not the recovered file.
    fileprivate var concernsDefinition: Bool {
        switch resultCode {
        case .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_AUTH, .SQLITE_CORRUPT,
            .SQLITE_MISUSE:
            true
        default: false
        }
    }
}
