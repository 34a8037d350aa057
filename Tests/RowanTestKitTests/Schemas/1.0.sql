CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('place');
CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO place VALUES (1, 'Ulm'), (2, 'BONN');
