// A key without a column, scope or prefetched rows: at most one such key decodes the row itself. Other cases are
// errors, because a record decoded from another record's columns would be silently wrong.

import Rowan
import Testing

private struct Employee: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int
    var name: String
    var managerId: Int?

    static let manager = belongsTo(Employee.self, key: "manager")
    static let tasks = hasMany(Task.self, key: "tasks")
}

private struct Task: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int
    var employeeId: Int
    var title: String

    static let employee = belongsTo(Employee.self, key: "employee")
}

private struct Section: Codable, Equatable, FetchableRecord {
    var name: String
}

@Suite struct BaseRowTests {
    private let schema = """
        CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, managerId INTEGER REFERENCES employee(id));
        CREATE TABLE task (id INTEGER PRIMARY KEY, employeeId INTEGER REFERENCES employee(id), title TEXT);
        INSERT INTO employee VALUES (1, 'Ada', NULL), (2, 'Bob', 1), (3, 'Cy', 1);
        INSERT INTO task VALUES (1, 2, 'Cook'), (2, 3, 'Clean'), (3, 3, 'Count');
        """
    private let ada = Employee(id: 1, name: "Ada", managerId: nil)
    private let bob = Employee(id: 2, name: "Bob", managerId: 1)
    private let cy = Employee(id: 3, name: "Cy", managerId: 1)

    private var managed: QueryInterfaceRequest<Employee> {
        Employee.including(required: Employee.manager).order(Column("id"))
    }

    private func withEmployees(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: schema)
            try body(db)
        }
    }

    // MARK: Decoding

    @Test func oneKeyDecodesTheRow() throws {
        struct Info: Decodable, Equatable, FetchableRecord {
            var employee: Employee
            var manager: Employee
        }
        struct Reversed: Decodable, Equatable, FetchableRecord {
            var manager: Employee
            var employee: Employee
        }
        try withEmployees { db in
            let infos = [Info(employee: bob, manager: ada), Info(employee: cy, manager: ada)]
            let owned = try Row.fetchAll(db, managed).map { try Info(row: $0) }
            #expect(try Info.fetchAll(db, managed) == infos)
            #expect(owned == infos)
            #expect(try Reversed.fetchOne(db, managed) == Reversed(manager: ada, employee: bob))
        }
    }

    @Test func theRowHasOtherColumnsToo() throws {
        struct Info: Decodable, Equatable, FetchableRecord {
            var employee: Employee
            var length: Int
        }
        try withEmployees { db in
            let request = Employee.annotated(with: length(Column("name")).forKey("length")).order(Column("id"))
            let infos = try Info.fetchAll(db, request)
            #expect(infos.map(\.employee) == [ada, bob, cy])
            #expect(infos.map(\.length) == [3, 3, 2])
        }
    }

    @Test func prefetchedRowsAndTheRow() throws {
        struct Info: Decodable, Equatable, FetchableRecord {
            var employee: Employee
            var tasks: [Task]
        }
        try withEmployees { db in
            let infos = try Info.fetchAll(db, Employee.including(all: Employee.tasks).order(Column("id")))
            #expect(infos.map(\.employee) == [ada, bob, cy])
            #expect(infos.map { $0.tasks.map(\.id) } == [[], [1], [2, 3]])
        }
    }

    /// Each row has a key that decodes it, but not always the same one.
    @Test func keysTakeTurns() throws {
        struct Anyone: Decodable, Equatable, FetchableRecord {
            var boss: Employee?
            var worker: Employee?
            enum CodingKeys: CodingKey { case boss, worker, managerId }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if try container.decodeNil(forKey: .managerId) {
                    boss = try container.decode(Employee.self, forKey: .boss)
                } else {
                    worker = try container.decode(Employee.self, forKey: .worker)
                }
            }
        }
        struct Turns: Decodable, FetchableRecord {
            var boss: Employee?
            var worker: Employee?
            enum CodingKeys: CodingKey { case boss, worker, kind }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                switch try container.decode(String.self, forKey: .kind) {
                case "boss": boss = try container.decode(Employee.self, forKey: .boss)
                default: worker = try container.decode(Employee.self, forKey: .worker)
                }
            }
        }
        try withEmployees { db in
            let sql = "SELECT *, iif(managerId IS NULL, 'boss', 'worker') AS kind FROM employee ORDER BY id"
            let turns = try Turns.fetchAll(db, sql: sql)
            #expect(turns.map(\.boss) == [ada, nil, nil])
            #expect(turns.map(\.worker) == [nil, bob, cy])
            let anyone = try Anyone.fetchAll(db, sql: sql)
            #expect(anyone.map(\.boss) == turns.map(\.boss))
            #expect(anyone.map(\.worker) == turns.map(\.worker))
        }
    }

    @Test func aPartThatIsNoRecord() throws {
        struct Part: Decodable, Equatable {
            var name: String
            var managerId: Int?
        }
        struct Whole: Decodable, Equatable, FetchableRecord {
            var part: Part
            var id: Int
        }
        struct Snake: Decodable, Equatable, FetchableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            struct Part: Decodable, Equatable { var firstName: String }
            var id: Int
            var part: Part
        }
        try withEmployees { db in
            let request = Employee.order(Column("id"))
            let wholes = [
                Whole(part: Part(name: "Ada", managerId: nil), id: 1),
                Whole(part: Part(name: "Bob", managerId: 1), id: 2),
                Whole(part: Part(name: "Cy", managerId: 1), id: 3),
            ]
            #expect(try Whole.fetchAll(db, request.asRequest(of: Whole.self)) == wholes)
            #expect(try Row.fetchAll(db, request).map { try Whole(row: $0) } == wholes)
            let snake = try Snake.fetchAll(db, sql: "SELECT 1 AS id, 'Ada' AS first_name")
            #expect(snake == [Snake(id: 1, part: Snake.Part(firstName: "Ada"))])
        }
    }

    @Test func aMissingOptionalIsNil() throws {
        struct Info: Decodable, Equatable, FetchableRecord {
            var employee: Employee
            var boss: Employee?
        }
        try withEmployees { db in
            let infos = try Info.fetchAll(db, managed)
            #expect(infos == [Info(employee: bob, boss: nil), Info(employee: cy, boss: nil)])
        }
    }

    // MARK: Errors

    @Test func anIncludedAssociationWithAnotherKey() throws {
        struct Info: Decodable, FetchableRecord {
            var employee: Employee
            var boss: Employee
        }
        struct Reversed: Decodable, FetchableRecord {
            var boss: Employee
            var employee: Employee
        }
        try withEmployees { db in
            let parts = ["key \"boss\"", "Employee", "key \"employee\"", "scopes: manager", "id, name, managerId"]
            expectError(parts) { try Info.fetchAll(db, managed) }
            expectError(parts) { try Row.fetchAll(db, managed).map { try Info(row: $0) } }
            expectError(["key \"employee\"", "key \"boss\"", "scopes: manager"]) { try Reversed.fetchAll(db, managed) }
        }
    }

    @Test func aForgottenAssociation() throws {
        struct Info: Decodable, FetchableRecord {
            var employee: Employee
            var section: Section
        }
        try withEmployees { db in
            expectError("key \"section\"", "Section", "columns: id, name, managerId") {
                try Info.fetchAll(db, Employee.all())
            }
        }
    }

    /// If one of its columns is missing, a part would consist only of defaults.
    @Test func aPartThatIsNoRecordAndHasNoColumn() throws {
        struct Address: Decodable {
            var street: String?
        }
        struct Info<Part: Decodable>: Decodable, FetchableRecord {
            var id: Int
            var part: Part
        }
        struct Twice: Decodable, FetchableRecord {
            struct Part: Decodable { var name: String }
            var first: Part
            var second: Part
        }
        struct Flat: Decodable, FetchableRecord {
            var name: String
            var part: Twice.Part
        }
        try withEmployees { db in
            expectError("Address", "key \"part\"") { try Info<Address>.fetchAll(db, Employee.all()) }
            expectError("Array<String>", "key \"part\"") { try Info<[String]>.fetchAll(db, Employee.all()) }
            expectError("Dictionary<String, String>", "key \"part\"") {
                try Info<[String: String]>.fetchAll(db, Employee.all())
            }
            expectError("String", "key \"part\"") { try Info<Set<String>>.fetchAll(db, Employee.all()) }
            expectError("key \"second\"", "key \"first\"") { try Twice.fetchAll(db, Employee.all()) }
            expectError("key \"part\"", "other keys: name") { try Flat.fetchAll(db, Employee.all()) }
        }
    }

    @Test func coincidingColumns() throws {
        struct Flat: Decodable, FetchableRecord {
            var id: Int
            var name: String
            var section: Section
        }
        struct Boss: Decodable, FetchableRecord {
            var boss: Employee
            var id: Int
            var name: String
        }
        try withEmployees { db in
            expectError("key \"section\"", "other keys: name") { try Flat.fetchAll(db, Employee.all()) }
            expectError("key \"boss\"", "other keys: id, name", "scopes: manager") { try Boss.fetchAll(db, managed) }
        }
    }

    @Test func coincidingColumnsOfOtherNames() throws {
        struct Part: Decodable, FetchableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            var firstName: String
        }
        struct Whole: Decodable, FetchableRecord {
            var first_name: String
            var part: Part
        }
        struct Fine: Decodable, FetchableRecord {
            var id: Int
            var part: Part
        }
        try withEmployees { db in
            let sql = "SELECT 1 AS id, 'Ada' AS first_name"
            expectError("key \"part\"", "other keys: first_name") { try Whole.fetchAll(db, sql: sql) }
            let fine = try Fine.fetchOne(db, sql: sql)
            #expect(fine?.part.firstName == "Ada")
        }
    }

    @Test func aNestedAssociationWithAnotherKey() throws {
        struct Worker: Decodable, FetchableRecord {
            var employee: Employee
            var boss: Employee
        }
        struct Info: Decodable, FetchableRecord {
            var task: Task
            var employee: Worker
        }
        struct Managed: Decodable, FetchableRecord {
            struct Worker: Decodable, FetchableRecord {
                var employee: Employee
                var manager: Employee
            }
            var task: Task
            var employee: Worker
        }
        try withEmployees { db in
            let request = Task.including(required: Task.employee.including(required: Employee.manager))
                .order(Column("id"))
            let managed = try Managed.fetchAll(db, request)
            #expect(managed.map(\.task.title) == ["Cook", "Clean", "Count"])
            #expect(managed.map(\.employee.employee) == [bob, cy, cy])
            #expect(managed.allSatisfy { $0.employee.manager == ada })
            expectError("key \"boss\"", "Employee", "scopes: manager") { try Info.fetchAll(db, request) }
        }
    }

    @Test func prefetchedRowsWithAnotherKey() throws {
        struct Info: Decodable, FetchableRecord {
            var employee: Employee
            var duties: [Task]
        }
        struct Duty: Decodable, FetchableRecord {
            var task: Task
            var section: Section
        }
        struct Nested: Decodable, FetchableRecord {
            var employee: Employee
            var tasks: [Duty]
        }
        try withEmployees { db in
            let request = Employee.including(all: Employee.tasks)
            expectError("key \"duties\"", "Array<Task>", "prefetched rows: tasks") { try Info.fetchAll(db, request) }
            expectError("key \"section\"", "Section", "key \"task\"") { try Nested.fetchAll(db, request) }
        }
    }

    private func expectError<T>(
        _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation, body: () throws -> T
    ) {
        expectError(parts, sourceLocation: sourceLocation, body: body)
    }

    private func expectError<T>(
        _ parts: [String], sourceLocation: SourceLocation = #_sourceLocation, body: () throws -> T
    ) {
        let error = expectDecodingError("could not decode", sourceLocation: sourceLocation, body)
        for part in parts {
            #expect(
                error?.description.contains(part) == true, "\(error?.description ?? "")",
                sourceLocation: sourceLocation)
        }
    }
}
