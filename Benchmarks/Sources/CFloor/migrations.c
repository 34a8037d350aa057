#include "floor.h"

#include <stdio.h>

/// One migration: a table that refers to the previous one, an index, a row, and a check of all foreign keys.
static int migrate_once(FloorConnection *connection, size_t number) {
    char sql[700];
    int rc;
    FLOOR_TRY(floor_execute(connection, "PRAGMA foreign_keys = OFF"));
    FLOOR_TRY(floor_execute(connection, "BEGIN IMMEDIATE"));
    if (number == 0) {
        snprintf(
            sql, sizeof sql,
            "CREATE TABLE \"table%zu\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"name\" TEXT NOT NULL)", number);
    } else {
        snprintf(
            sql, sizeof sql,
            "CREATE TABLE \"table%zu\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"name\" TEXT NOT NULL, "
            "\"previousId\" INTEGER REFERENCES \"table%zu\"(\"id\")); "
            "CREATE INDEX \"table%zu_on_previousId\" ON \"table%zu\"(\"previousId\")",
            number, number - 1, number, number);
    }
    FLOOR_TRY(floor_execute(connection, sql));
    snprintf(sql, sizeof sql, "INSERT INTO table%zu (name) VALUES ('first')", number);
    FLOOR_TRY(floor_execute(connection, sql));
    FLOOR_TRY(floor_execute(connection, "PRAGMA foreign_key_check"));
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); "
        "INSERT INTO grdb_migrations (identifier) VALUES ('migration %zu')",
        number);
    FLOOR_TRY(floor_execute(connection, sql));
    FLOOR_TRY(floor_execute(connection, "COMMIT"));
    FLOOR_TRY(floor_execute(connection, "PRAGMA foreign_keys = ON"));
done:
    return rc;
}

int floor_migrate(FloorConnection *connection, size_t count, int64_t *digest) {
    sqlite3_stmt *applied = NULL;
    int rc = SQLITE_OK;
    for (size_t number = 0; number < count; number++) {
        FLOOR_TRY(migrate_once(connection, number));
    }
    FLOOR_TRY(floor_prepare(connection, "SELECT COUNT(*) FROM grdb_migrations", &applied));
    rc = sqlite3_step(applied);
    if (rc == SQLITE_ROW) {
        *digest = sqlite3_column_int64(applied, 0);
        rc = SQLITE_OK;
    }
done:
    sqlite3_finalize(applied);
    return rc;
}
