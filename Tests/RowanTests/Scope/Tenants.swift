// A database with the rows of two tenants, and one that contains only those of the first.

import Rowan

struct Invoice: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int
    var tenantID: Int
    var customerID: Int
    var total: Int
    var note: String

    enum Columns {
        static let id = Column("id")
        static let tenantID = Column("tenantID")
        static let customerID = Column("customerID")
        static let total = Column("total")
        static let note = Column("note")
    }

    static let customer = belongsTo(Customer.self)
}

struct Customer: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int
    var tenantID: Int
    var name: String

    enum Columns {
        static let id = Column("id")
        static let tenantID = Column("tenantID")
        static let name = Column("name")
        static let phone = Column("phone")
    }

    static let invoices = hasMany(Invoice.self)
}

enum Tenants {
    static let schema = """
        CREATE TABLE customer(id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, name TEXT NOT NULL, phone TEXT);
        CREATE TABLE invoice(
            id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, customerID INTEGER NOT NULL REFERENCES customer(id),
            total INTEGER NOT NULL, note TEXT NOT NULL);
        CREATE INDEX invoice_tenant ON invoice(tenantID, total);
        CREATE TABLE secret(id INTEGER PRIMARY KEY, word TEXT);
        CREATE VIEW hidden AS SELECT 1 AS one FROM invoice;
        CREATE VIEW hiddenMain AS SELECT 1 AS one FROM main.invoice;
        CREATE VIEW hiddenUnion AS SELECT 1 AS one FROM invoice UNION ALL SELECT 2 FROM customer;
        """

    static let customers = (1...6).map { ($0, $0 % 2 + 1, "customer \($0)", "phone \($0)") }
    static let invoices = (1...20).map { ($0, ($0 % 6 + 1) % 2 + 1, $0 % 6 + 1, $0 * 10, "note \($0)") }

    /// - Parameter tenant: the tenant whose rows are inserted; nil for those of all.
    static func fill(_ db: Database, tenant: Int? = nil) throws {
        try db.execute(sql: schema)
        for (id, owner, name, phone) in customers where tenant ?? owner == owner {
            try db.execute(sql: "INSERT INTO customer VALUES (?, ?, ?, ?)", arguments: [id, owner, name, phone])
        }
        for (id, owner, customer, total, note) in invoices where tenant ?? owner == owner {
            try db.execute(
                sql: "INSERT INTO invoice VALUES (?, ?, ?, ?, ?)", arguments: [id, owner, customer, total, note])
        }
        try db.execute(sql: "INSERT INTO secret VALUES (1, 'x'), (2, 'y'), (3, 'z')")
    }

    /// The invoices of a tenant, and the customers without their phones.
    static func scope(_ tenant: Int) -> DatabaseScope {
        DatabaseScope()
            .reading(Invoice.filter { $0.tenantID == tenant })
            .reading(Customer.filter { $0.tenantID == tenant }.select { [$0.id, $0.tenantID, $0.name] })
    }
}
