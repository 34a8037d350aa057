// Associations of the guide: to one row, through other tables, to the same table, by one of several foreign keys, by
// keys of several columns.

import Foundation
import Rowan
import RowanRecords
import Testing

private enum Documented {
    struct Country: Codable, FetchableRecord, PersistableRecord {
        static let passports = hasMany(Passport.self)
        static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
        static let profile = hasOne(Profile.self)
        var code: String
        var name: String
    }

    struct Passport: Codable, FetchableRecord, PersistableRecord {
        static let country = belongsTo(Country.self)
        static let citizen = belongsTo(Citizen.self)
        var countryCode: String
        var citizenId: Int64
        var issueDate: Date
    }

    struct Citizen: Codable, FetchableRecord, MutablePersistableRecord {
        static let passports = hasMany(Passport.self)
        static let countries = hasMany(Country.self, through: passports, using: Passport.country)
        var id: Int64?
        var name: String
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Profile: Codable, FetchableRecord, PersistableRecord {
        static let country = belongsTo(Country.self)
        var countryCode: String
        var area: Double
    }

    struct Employee: Codable, FetchableRecord, MutablePersistableRecord {
        static let manager = belongsTo(Employee.self, key: "manager")
        static let subordinates = hasMany(Employee.self, key: "subordinates")
        var id: Int64?
        var name: String
        var managerId: Int64?
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Book: Codable, FetchableRecord, MutablePersistableRecord {
        static let author = belongsTo(Citizen.self, key: "author", using: ForeignKey(["authorId"]))
        static let translator = belongsTo(Citizen.self, key: "translator", using: ForeignKey(["translatorId"]))
        var id: Int64?
        var title: String
        var authorId: Int64
        var translatorId: Int64?
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct BookInfo: Decodable, FetchableRecord {
        var book: Book
        var author: Citizen
        var translator: Citizen?
    }

    struct EmployeeInfo: Decodable, FetchableRecord {
        var employee: Employee
        var manager: Employee?
    }

    struct PassportInfo: Decodable, FetchableRecord {
        var passport: Passport
        var country: Country
        var citizen: Citizen
    }
}

private enum ByMacro {
    @Record struct Country {
        static let passports = hasMany(Passport.self)
        static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
        static let profile = hasOne(Profile.self)
        @PrimaryKey var code: String
        var name: String
    }

    /// The suffix of `countryCode` doesn't name an association: `belongsTo` declares it, as documented.
    @Record struct Passport {
        static let country = belongsTo(Country.self)
        @PrimaryKey var countryCode: String
        @PrimaryKey @References(Citizen.self) var citizenId: Int64
        var issueDate: Date
    }

    @Record struct Citizen {
        static let passports = hasMany(Passport.self)
        static let countries = hasMany(Country.self, through: passports, using: Passport.country)
        var id: Int64?
        var name: String
    }

    @Record struct Profile {
        static let country = belongsTo(Country.self)
        @PrimaryKey var countryCode: String
        var area: Double
    }

    @Record struct Employee {
        static let subordinates = hasMany(Employee.self, key: "subordinates")
        var id: Int64?
        var name: String
        @References(Employee.self) var managerId: Int64?
    }

    @Record struct Book {
        var id: Int64?
        var title: String
        @References(Citizen.self) var authorId: Int64
        @References(Citizen.self) var translatorId: Int64?
    }

    @Selection struct BookInfo {
        var book: Book
        var author: Citizen
        var translator: Citizen?
    }

    @Selection struct EmployeeInfo {
        var employee: Employee
        var manager: Employee?
    }

    @Selection struct PassportInfo {
        var passport: Passport
        var country: Country
        var citizen: Citizen
    }
}

@Suite("Documented associations")
struct AssociationDefinitionTests {
    private static let schema = """
        CREATE TABLE country (code TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE passport (
            countryCode TEXT NOT NULL REFERENCES country(code), citizenId INTEGER NOT NULL REFERENCES citizen(id),
            issueDate DATETIME NOT NULL, PRIMARY KEY (countryCode, citizenId));
        CREATE TABLE profile (countryCode TEXT NOT NULL PRIMARY KEY REFERENCES country(code), area DOUBLE NOT NULL);
        CREATE TABLE employee (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, managerId INTEGER REFERENCES employee(id) ON DELETE SET NULL);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, authorId INTEGER NOT NULL REFERENCES citizen(id),
            translatorId INTEGER REFERENCES citizen(id));
        INSERT INTO country VALUES ('FR', 'France'), ('DE', 'Germany'), ('IT', 'Italy');
        INSERT INTO citizen VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Eve');
        INSERT INTO profile VALUES ('FR', 632734), ('DE', 357592);
        """

    private let difference = Difference.columnsAreListed(
        ByMacro.Country.self, ByMacro.Citizen.self, ByMacro.Passport.self, ByMacro.Profile.self, ByMacro.Employee.self,
        ByMacro.Book.self)

    private func insert<Record: MutablePersistableRecord>(_ db: Database, _ trail: Trail, _ records: [Record]) {
        for record in records {
            var record = record
            trail.note("insert") {
                try record.insert(db)
                return record
            }
        }
    }

    @Test("Many to many, and to one")
    func manyToMany() throws {
        let date = Date(timeIntervalSince1970: 1_000_000)
        let passports: [(String, Int64)] = [("FR", 1), ("DE", 1), ("DE", 2)]
        let documented = try Trail.of(Self.schema) { db, trail in
            insert(
                db, trail, passports.map { Documented.Passport(countryCode: $0.0, citizenId: $0.1, issueDate: date) })
            let citizen = try Documented.Citizen.find(db, key: 1)
            let country = try Documented.Country.find(db, key: "DE")
            trail.note("countries") { try citizen.request(for: Documented.Citizen.countries).fetchAll(db) }
            trail.note("citizens") { try country.request(for: Documented.Country.citizens).fetchAll(db) }
            trail.note("profile") { try country.request(for: Documented.Country.profile).fetchOne(db) as Any }
            trail.note("infos") {
                try Documented.Passport.including(required: Documented.Passport.country)
                    .including(required: Documented.Passport.citizen).asRequest(of: Documented.PassportInfo.self)
                    .fetchAll(db)
            }
            trail.note("profiles") {
                try Documented.Country.including(optional: Documented.Country.profile).asRequest(of: Row.self).fetchAll(
                    db)
            }
            trail.note("counts") {
                try Documented.Citizen.annotated(with: Documented.Citizen.countries.count).asRequest(of: Row.self)
                    .fetchAll(db)
            }
            trail.note("having") { try Documented.Country.having(Documented.Country.citizens.count > 1).fetchAll(db) }
            trail.note("joining") {
                try Documented.Country.joining(required: Documented.Country.citizens).fetchCount(db)
            }
        }
        let byMacro = try Trail.of(Self.schema) { db, trail in
            insert(db, trail, passports.map { ByMacro.Passport(countryCode: $0.0, citizenId: $0.1, issueDate: date) })
            let citizen = try ByMacro.Citizen.find(db, key: 1)
            let country = try ByMacro.Country.find(db, key: "DE")
            trail.note("countries") { try citizen.request(for: ByMacro.Citizen.countries).fetchAll(db) }
            trail.note("citizens") { try country.request(for: ByMacro.Country.citizens).fetchAll(db) }
            trail.note("profile") { try country.request(for: ByMacro.Country.profile).fetchOne(db) as Any }
            trail.note("infos") {
                try ByMacro.Passport.including(required: ByMacro.Passport.country)
                    .including(required: ByMacro.Passport.citizen).asRequest(of: ByMacro.PassportInfo.self)
                    .fetchAll(db)
            }
            trail.note("profiles") {
                try ByMacro.Country.including(optional: ByMacro.Country.profile).asRequest(of: Row.self).fetchAll(db)
            }
            trail.note("counts") {
                try ByMacro.Citizen.annotated(with: ByMacro.Citizen.countries.count).asRequest(of: Row.self)
                    .fetchAll(db)
            }
            trail.note("having") { try ByMacro.Country.having(ByMacro.Country.citizens.count > 1).fetchAll(db) }
            trail.note("joining") { try ByMacro.Country.joining(required: ByMacro.Country.citizens).fetchCount(db) }
        }
        expectSame(documented, byMacro, difference)
    }

    @Test("The same table")
    func selfJoin() throws {
        let employees: [(String, Int64?)] = [("Ann", nil), ("Bob", 1), ("Eve", 1), ("Joe", 2)]
        let documented = try Trail.of(Self.schema) { db, trail in
            insert(db, trail, employees.map { Documented.Employee(id: nil, name: $0.0, managerId: $0.1) })
            let employee = try Documented.Employee.find(db, key: 2)
            trail.note("manager") { try employee.request(for: Documented.Employee.manager).fetchOne(db) as Any }
            trail.note("subordinates") { try employee.request(for: Documented.Employee.subordinates).fetchAll(db) }
            trail.note("infos") {
                try Documented.Employee.including(optional: Documented.Employee.manager)
                    .asRequest(of: Documented.EmployeeInfo.self).fetchAll(db)
            }
            trail.note("count") {
                try Documented.Employee.having(Documented.Employee.subordinates.count == 2).fetchAll(db)
            }
        }
        let byMacro = try Trail.of(Self.schema) { db, trail in
            insert(db, trail, employees.map { ByMacro.Employee(id: nil, name: $0.0, managerId: $0.1) })
            let employee = try ByMacro.Employee.find(db, key: 2)
            trail.note("manager") { try employee.request(for: ByMacro.Employee.manager).fetchOne(db) as Any }
            trail.note("subordinates") { try employee.request(for: ByMacro.Employee.subordinates).fetchAll(db) }
            trail.note("infos") {
                try ByMacro.Employee.including(optional: ByMacro.Employee.manager)
                    .asRequest(of: ByMacro.EmployeeInfo.self).fetchAll(db)
            }
            trail.note("count") { try ByMacro.Employee.having(ByMacro.Employee.subordinates.count == 2).fetchAll(db) }
        }
        expectSame(documented, byMacro, difference)
    }

    @Test("Two references to one table")
    func severalKeys() throws {
        let books: [(String, Int64, Int64?)] = [("a", 1, 2), ("b", 2, nil), ("c", 1, 1)]
        let documented = try Trail.of(Self.schema) { db, trail in
            insert(db, trail, books.map { Documented.Book(id: nil, title: $0.0, authorId: $0.1, translatorId: $0.2) })
            trail.note("infos") {
                try Documented.Book.including(required: Documented.Book.author)
                    .including(optional: Documented.Book.translator).asRequest(of: Documented.BookInfo.self).fetchAll(
                        db)
            }
        }
        let byMacro = try Trail.of(Self.schema) { db, trail in
            insert(db, trail, books.map { ByMacro.Book(id: nil, title: $0.0, authorId: $0.1, translatorId: $0.2) })
            trail.note("infos") {
                try ByMacro.Book.including(required: ByMacro.Book.author)
                    .including(optional: ByMacro.Book.translator).asRequest(of: ByMacro.BookInfo.self).fetchAll(db)
            }
        }
        expectSame(documented, byMacro, difference)
    }
}
