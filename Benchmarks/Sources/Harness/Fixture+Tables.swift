// Tables whose values come from SQL alone.

/// The rows `n(i)` from 1 to a number.
func numbers(_ count: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))"
}

extension Fixture.Table {
    static let orderTable = """
        CREATE TABLE orders (
            id INTEGER PRIMARY KEY,
            customerId INTEGER NOT NULL,
            reference TEXT,
            name TEXT,
            street TEXT,
            city TEXT,
            region TEXT,
            postalCode TEXT,
            country TEXT,
            phone TEXT,
            comment TEXT,
            employeeId INTEGER,
            shipperId INTEGER,
            freight REAL NOT NULL)
        """

    /// Texts of 5 to 40 bytes, a part of them NULL.
    static func orderFilling(_ rows: Int) -> String {
        """
        INSERT INTO orders
        \(numbers(rows))
        SELECT i, i * 7919 % 1009,
                CASE WHEN i % 7 THEN substr('Reference 2031/77-A, second copy of July', 1, 5 + i * 13 % 36) END,
                CASE WHEN i % 11 THEN substr('Boulangerie Meunier et fils, Grande Place', 1, 5 + i * 17 % 36) END,
                CASE WHEN i % 5 THEN substr('Rue de la Republique 12, third courtyard', 1, 5 + i * 19 % 36) END,
                CASE WHEN i % 13 THEN substr('Saint-Germain-en-Laye, near Versailles..', 1, 5 + i * 23 % 36) END,
                CASE WHEN i % 3 THEN substr('Auvergne-Rhone-Alpes, the eastern part..', 1, 5 + i * 29 % 36) END,
                CASE WHEN i % 17 THEN substr('78100 CEDEX 04, box 1177, second counter', 1, 5 + i * 31 % 36) END,
                CASE WHEN i % 19 THEN substr('The United Kingdom of Great Britain and ', 1, 5 + i * 37 % 36) END,
                CASE WHEN i % 4 THEN substr('+44 20 7946 0958, extension 77 in the day', 1, 5 + i * 41 % 36) END,
                CASE WHEN i % 2 THEN substr('Ring twice, the bell of the door is weak', 1, 5 + i * 43 % 36) END,
                CASE WHEN i % 5 THEN i % 9 + 1 END, CASE WHEN i % 4 THEN i % 3 + 1 END,
                (i * 7919 % 1000003) / 1000.0
        FROM n
        """
    }

    static let documentTable = """
        CREATE TABLE document (
            id INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            address TEXT NOT NULL,
            tags TEXT NOT NULL)
        """

    /// JSON without spaces, with keys in alphabetical order: what a digest can write again.
    static func documentFilling(_ rows: Int) -> String {
        """
        INSERT INTO document
        \(numbers(rows))
        SELECT i, 'Document ' || i,
            json_object('city', 'City ' || (i % 211), 'number', i % 97, 'street', 'Street of number ' || i),
            json_array(
                json_object('name', 'tag' || (i % 13), 'weight', i % 7),
                json_object('name', 'tag' || (i % 17), 'weight', i % 5))
        FROM n
        """
    }

    static let measureTable = """
        CREATE TABLE measure (
            id INTEGER PRIMARY KEY,
            station INTEGER NOT NULL,
            value REAL NOT NULL,
            unit TEXT NOT NULL,
            note TEXT,
            raw BLOB NOT NULL)
        """

    static func measureFilling(_ rows: Int) -> String {
        """
        INSERT INTO measure
        \(numbers(rows))
        SELECT i, i * 7919 % 1009, i / 7.0, CASE i % 3 WHEN 0 THEN 'celsius' WHEN 1 THEN 'bar' ELSE 'percent' END,
            CASE WHEN i % 2 THEN 'Read by the observer with number ' || (i % 977) END,
            CAST(printf('%08d', i) AS BLOB)
        FROM n
        """
    }

    static let itemTable = """
        CREATE TABLE item (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            brand TEXT NOT NULL,
            category TEXT NOT NULL,
            color TEXT NOT NULL,
            size TEXT NOT NULL,
            material TEXT NOT NULL,
            supplier TEXT NOT NULL,
            notes TEXT NOT NULL,
            stock INTEGER NOT NULL,
            sold INTEGER NOT NULL,
            year INTEGER NOT NULL,
            isActive BOOLEAN NOT NULL,
            price REAL NOT NULL,
            weight REAL NOT NULL,
            length REAL NOT NULL,
            width REAL NOT NULL,
            height REAL NOT NULL)
        """

    static func itemFilling(_ rows: Int) -> String {
        """
        INSERT INTO item
        \(numbers(rows))
        SELECT i, 'Item ' || i, 'Brand ' || (i % 31), 'Category number ' || (i % 17), 'red', 'XL', 'cotton and linen',
            'Supplier number ' || (i % 101), 'What is worth noting of the item ' || i,
            i % 100, i % 89, 1990 + i % 30, i % 2, i / 8.0, i / 4.0, i % 50, i % 40, i % 30
        FROM n
        """
    }

    static let shelfTables = """
        CREATE TABLE shelf (
            room TEXT NOT NULL,
            number INTEGER NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (room, number));
        CREATE TABLE volume (
            id INTEGER PRIMARY KEY,
            room TEXT NOT NULL,
            shelfNumber INTEGER NOT NULL,
            title TEXT NOT NULL,
            FOREIGN KEY (room, shelfNumber) REFERENCES shelf(room, number));
        CREATE INDEX volume_on_shelf ON volume(room, shelfNumber);
        """

    /// Twenty shelves in each room. The multiplier is prime: each shelf has its number of volumes, not side by side.
    static func shelfFilling(_ rows: Int, volumes: Int) -> String {
        """
        BEGIN;
        INSERT INTO shelf
        \(numbers(rows))
        SELECT 'Room ' || (i / 20), i % 20, 'Shelf with number ' || i FROM n;
        INSERT INTO volume
        \(numbers(rows * volumes))
        SELECT i, 'Room ' || ((i * 7919 % \(rows) + 1) / 20), (i * 7919 % \(rows) + 1) % 20,
            'The volume with number ' || i
        FROM n;
        COMMIT;
        """
    }
}

extension Fixture.Table {
    /// Each tenth table lacks a NOT NULL, and each seventh an index.
    static func entryTables(_ count: Int) -> String {
        (0..<count).map { number in
            """
            CREATE TABLE entry\(number) (
                id INTEGER PRIMARY KEY,
                name TEXT\(number % 10 == 9 ? "" : " NOT NULL"),
                score INTEGER NOT NULL,
                note TEXT,
                previousId INTEGER\(number == 0 ? "" : " REFERENCES entry\(number - 1)(id)"));
            """ + (number % 7 == 6 ? "" : "CREATE INDEX entry\(number)_previous ON entry\(number)(previousId);")
        }.joined()
    }

    static let teamTables = (1...100).map { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, team INTEGER NOT NULL);" }
        .joined(separator: "\n")

    /// A query whose one text proves what a run left in the table; nil for tables that the floor reads itself.
    public var proof: String? {
        switch self {
        case .pages: "SELECT count(*) || ' ' || sum(length(title) * rowid + length(body)) FROM page"
        case .teams:
            "SELECT "
                + (1...100).map { "(SELECT count(*) || ' ' || total(team) FROM t\($0))" }
                .joined(separator: " || ' ' || ")
        case .items:
            "SELECT sum(id * stock) || ' ' || total(price * id) || ' ' || sum(length(notes) * sold) FROM item"
        case .tickets: Self.ticketProof
        case .players: Self.playerProof
        case .profiles: Self.profileProof
        case .ints, .places, .library, .orders, .documents, .measures, .shelves, .entries, .runners, .issues, .vectors:
            nil
        }
    }
}
