-- The tables whose records are in GeneratedRecords and GeneratedCodables.
CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, founded DATE);
CREATE TABLE players (
    id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES teams (id), home_team_id INTEGER NOT NULL REFERENCES teams (id),
    name TEXT NOT NULL, score INTEGER, height REAL, isActive BOOLEAN NOT NULL DEFAULT 1, photo BLOB, uid UUID,
    label TEXT GENERATED ALWAYS AS (name || '!') STORED, short AS (substr(name, 1, 1)));
CREATE TABLE memberships (player INTEGER NOT NULL REFERENCES players (id), club TEXT NOT NULL, since DATETIME, PRIMARY KEY (player, club));
CREATE TABLE fees (id INTEGER PRIMARY KEY, player INTEGER NOT NULL, club TEXT NOT NULL, amount NUMERIC(10, 2), FOREIGN KEY (player, club) REFERENCES memberships (player, club));
CREATE TABLE people (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES people (id), "parent" TEXT);
CREATE TABLE "class" ("default" INTEGER PRIMARY KEY, "self" TEXT, "in" TEXT, "init" TEXT, "Type" TEXT, "func" REFERENCES "class" ("default"));
CREATE TABLE "odd name; -- x" ("a b" TEXT, "a_b" TEXT, "a-b" TEXT, "1st" INTEGER, "" TEXT, "é" TEXT, "q""uote" TEXT, "back\slash" TEXT, "emoji😀" TEXT);
CREATE TABLE "2fast" (x);
CREATE TABLE nokey (value TEXT);
CREATE TABLE norowid (code TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
CREATE TABLE strict_table (id INTEGER PRIMARY KEY, a ANY, b TEXT NOT NULL) STRICT;
CREATE TABLE addresses (id INTEGER PRIMARY KEY, columns TEXT, databaseTableName TEXT, inserted INTEGER, container TEXT, encoder TEXT, row TEXT);
CREATE TABLE categories (name TEXT PRIMARY KEY, parent TEXT REFERENCES categories (name));
CREATE TABLE status (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE "Data" (id INTEGER PRIMARY KEY, "String" TEXT);
CREATE TABLE "view" (id INTEGER PRIMARY KEY);
CREATE TABLE orphan (id INTEGER PRIMARY KEY, missing_id INTEGER REFERENCES missing (id));
CREATE VIRTUAL TABLE documents USING fts5 (title, body);
CREATE VIEW best_players AS SELECT id, name, score, score * 2 AS twice FROM players WHERE score > 500;
CREATE VIEW counts AS SELECT count(*) AS n FROM players;
