// Relations joined in parentheses: requirements of an optional relation, and aggregates in its conditions.

import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book

struct JoinedGroupTests {
    private struct Employee: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var leaderId: Int64?
        var name: String
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }
        static let leader = belongsTo(Employee.self, key: "leader")
    }

    /// SQLite names the columns of the second table `id:1` and `name:1`.
    @Test func columnsKeepTheirNames() throws {
        struct Leader: Decodable, Hashable {
            var employee: Employee
            var leader: Employee
        }
        struct Info: Decodable, FetchableRecord {
            var employee: Employee
            var first: Leader?
            var topName: String?
        }
        try inLoggedDatabase(
            """
            CREATE TABLE employee (id INTEGER PRIMARY KEY, leaderId INTEGER REFERENCES employee(id), name TEXT);
            INSERT INTO employee VALUES (1, NULL, 'Ada'), (2, 1, 'Bob'), (3, 2, 'Cid');
            """
        ) { db, _ throws in
            let top = TableAlias<Employee>()
            let request = Employee.including(
                optional: Employee.leader.forKey("first").including(required: Employee.leader.aliased(top))
            ).annotated(with: top.name.forKey("topName")).order(\.id)
            let infos = try Info.fetchAll(db, request)
            #expect(infos.map(\.first?.employee.name) == [nil, nil, "Bob"])
            #expect(infos.map(\.first?.leader.name) == [nil, nil, "Ada"])
            #expect(infos.map(\.topName) == [nil, nil, "Ada"])
            let row = try Row.fetchOne(
                db,
                Employee.including(optional: Employee.leader.including(required: Employee.leader))
                    .annotated(with: top.name).joining(optional: Employee.leader.forKey("top").aliased(top)))
            #expect(row.map { Array($0.columnNames) } == ["id", "leaderId", "name", "name"])
        }
    }

    /// The table of aggregates must precede the condition that refers to it.
    @Test func conditionsOnAggregatesWithoutIndex() throws {
        let writers = Book.author.having(Author.books.count >= 2)
        try Library.run { db, _ throws in
            for drop in ["", "DROP INDEX book_author"] {
                try db.execute(sql: drop)
                let optional = Book.select(\.id).annotated(withOptional: writers.select(\.name)).order(\.id)
                #expect(
                    try Row.fetchAll(db, optional).map(\.description) == [
                        #"[id:1 name:"Melville"]"#, #"[id:2 name:"Melville"]"#, "[id:3 name:NULL]",
                        "[id:4 name:NULL]",
                    ])
                #expect(try Book.joining(required: writers).fetchCount(db) == 2)
                // Two tables of aggregates of the same association, in a subquery.
                let both = Author.having(
                    Author.books.filter { $0.year > 1840 }.count == 2 && Author.books.max(\.price) == 20)
                #expect(try Book.filter(both.select(\.id).contains(Book.Columns.authorId)).fetchCount(db) == 2)
            }
        }
    }
}
