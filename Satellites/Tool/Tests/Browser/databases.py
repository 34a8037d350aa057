"""The databases that the page shows in its tests and its pictures. They are the same in each run."""
import random
import sqlite3
from pathlib import Path

SHOP = """
    CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE customer(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, country TEXT REFERENCES country(code), joined TEXT, photo BLOB);
    CREATE TABLE category(id INTEGER PRIMARY KEY, name TEXT, parent INTEGER REFERENCES category(id));
    CREATE TABLE product(
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, price REAL NOT NULL, stock INTEGER, category INTEGER REFERENCES category(id),
        description TEXT);
    CREATE TABLE tag(name TEXT PRIMARY KEY);
    CREATE TABLE product_tag(
        product INTEGER REFERENCES product(id), tag TEXT REFERENCES tag(name), PRIMARY KEY (product, tag)) WITHOUT ROWID;
    CREATE TABLE "order"(id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customer(id), placed TEXT, status TEXT, total REAL);
    CREATE TABLE item(
        "order" INTEGER NOT NULL REFERENCES "order"(id), product INTEGER NOT NULL REFERENCES product(id), quantity INTEGER,
        PRIMARY KEY ("order", product));
    CREATE TABLE review(
        id INTEGER PRIMARY KEY, product INTEGER REFERENCES product, customer INTEGER REFERENCES customer, stars INTEGER, text TEXT);
    CREATE TABLE supplier(id INTEGER PRIMARY KEY, name TEXT, country TEXT REFERENCES country(code));
    CREATE TABLE delivery(
        id INTEGER PRIMARY KEY, supplier INTEGER REFERENCES supplier(id), product INTEGER REFERENCES product(id), amount INTEGER);
    CREATE TABLE setting(key TEXT PRIMARY KEY, value);
    CREATE INDEX order_customer ON "order"(customer);
    CREATE INDEX review_product ON review(product);
    CREATE VIEW best AS
        SELECT product.id, title, round(avg(stars), 2) AS stars, count(*) AS reviews
        FROM product JOIN review ON review.product = product.id GROUP BY product.id;
"""
COUNTRIES = {"AT": "Austria", "BE": "Belgium", "CH": "Switzerland", "DE": "Germany", "FR": "France", "JP": "Japan 日本"}
FIRST = ["Ada", "Alan", "Barbara", "Dennis", "Donald", "Edsger", "Frances", "Grace", "Ken", "Margaret"]
LAST = ["Allen", "Dijkstra", "Hamilton", "Hopper", "Knuth", "Liskov", "Lovelace", "Ritchie", "Thompson", "Turing"]


def connect(path: Path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


def shop(path: Path, orders=12_000):
    chance = random.Random(1)
    day = lambda i: f"2026-{1 + i % 12:02}-{1 + i % 28:02}"
    db = connect(path)
    db.executescript("BEGIN;" + SHOP)
    db.executemany("INSERT INTO country VALUES (?, ?)", COUNTRIES.items())
    db.executemany("INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?)", [
        (i, f"{chance.choice(FIRST)} {chance.choice(LAST)}", f"c{i}@example.org", chance.choice(list(COUNTRIES)), day(i),
         chance.randbytes(300) if i % 7 == 0 else None) for i in range(1, 1201)])
    db.executemany("INSERT INTO category VALUES (?, ?, ?)",
                   [(1, "Books", None), (2, "Music", None), (3, "Novels", 1), (4, "Science", 1), (5, "Jazz", 2)])
    db.executemany("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?)", [
        (i, f"{chance.choice(['Red', 'Blue', 'Old', 'New'])} {chance.choice(['Book', 'Record', 'Atlas', 'Score'])}",
         round(chance.uniform(3, 90), 2), chance.choice([None, 0, 3, 12, 40]), chance.randint(1, 5),
         "A longer description. " * chance.randint(0, 30)) for i in range(1, 301)])
    db.executemany("INSERT INTO tag VALUES (?)", [("gift",), ("new",), ("sale",)])
    db.executemany("INSERT OR IGNORE INTO product_tag VALUES (?, ?)",
                   [(chance.randint(1, 300), chance.choice(["gift", "new", "sale"])) for _ in range(200)])
    db.executemany('INSERT INTO "order" VALUES (?, ?, ?, ?, ?)', [
        (i, chance.randint(1, 1200), day(i), chance.choice(["open", "paid", "sent"]), round(chance.uniform(5, 300), 2))
        for i in range(1, orders + 1)])
    db.executemany("INSERT OR IGNORE INTO item VALUES (?, ?, ?)", [
        (chance.randint(1, orders), chance.randint(1, 300), chance.randint(1, 4)) for _ in range(2 * orders)])
    db.executemany("INSERT INTO review VALUES (?, ?, ?, ?, ?)", [
        (i, chance.randint(1, 300), chance.randint(1, 1200), chance.randint(1, 5), "Good." if i % 2 else None)
        for i in range(1, 3001)])
    db.executemany("INSERT INTO setting VALUES (?, ?)", [("theme", "dark"), ("limit", 50), ("ratio", 0.5)])
    db.execute("COMMIT")
    db.execute("ANALYZE")
    return db


# Names that could be taken for markup, for parts of an address, or for SQL.
NAMES = ["<img src=x onerror=alert(1)>", "a/b?c=d&e#f", "..", ".", "%2e%2e", "quote\"d", "it's", "名前 🦉", "right‮left", "new\nline",
         " ", "csv", "row", "rowid", "x" * 300]
LARGE = 10 * 1024 * 1024


def hostile(path: Path):
    db = connect(path)
    quoted = lambda name: '"' + name.replace('"', '""') + '"'
    for name in NAMES:
        db.execute(f"CREATE TABLE {quoted(name)}(id INTEGER PRIMARY KEY, {quoted(name)} TEXT)")
        db.execute(f"INSERT INTO {quoted(name)} VALUES (1, ?)", (name,))
    db.execute("CREATE TABLE value(id INTEGER PRIMARY KEY, v)")
    db.executemany("INSERT INTO value(v) VALUES (?)", [
        ("<script>document.title = 'taken'</script>",), ("a\0b",), ("right‮left",), ("é" * (LARGE // 2),), (b"\0\xff" * (LARGE // 2),),
        (float("inf"),), (-2**63,), ("\x1b[31m",), ("</textarea></title></style>",), (None,), ("",), (b"",)])
    db.execute("INSERT INTO value(v) VALUES (CAST(x'ff80' AS TEXT))")
    db.execute("CREATE TABLE composite(a, b TEXT, c BLOB, n, PRIMARY KEY (a, b, c)) WITHOUT ROWID")
    db.execute("INSERT INTO composite VALUES (1.5, 'x', x'00ff', 1), (1, 'y', 'text', 2), ('1', 'y', 'text', 3)")
    db.execute("CREATE TABLE wide(" + ", ".join(f"c{i} INTEGER" for i in range(400)) + ")")
    db.execute("INSERT INTO wide DEFAULT VALUES")
    db.execute("CREATE TABLE broken(id INTEGER PRIMARY KEY, p REFERENCES missing(x), q REFERENCES value(absent))")
    db.execute("INSERT INTO broken VALUES (1, 1, 1)")
    db.execute("CREATE VIEW failing AS SELECT absent FROM value")
    db.execute("CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0")
    return db
