#include "floor.h"

int floor_fetch_int(FloorConnection *connection, FloorIntList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT c3 FROM ints", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        result->rows[result->count++] = sqlite3_column_int64(statement, 0);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_ints(FloorConnection *connection, FloorIntsList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 FROM ints", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorInts *row = &result->rows[result->count++];
        row->c0 = sqlite3_column_int64(statement, 0);
        row->c1 = sqlite3_column_int64(statement, 1);
        row->c2 = sqlite3_column_int64(statement, 2);
        row->c3 = sqlite3_column_int64(statement, 3);
        row->c4 = sqlite3_column_int64(statement, 4);
        row->c5 = sqlite3_column_int64(statement, 5);
        row->c6 = sqlite3_column_int64(statement, 6);
        row->c7 = sqlite3_column_int64(statement, 7);
        row->c8 = sqlite3_column_int64(statement, 8);
        row->c9 = sqlite3_column_int64(statement, 9);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_sum_generated(FloorConnection *connection, int64_t count, int64_t *sum) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(
        connection,
        "WITH RECURSIVE counter(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM counter LIMIT ?) "
        "SELECT value FROM counter",
        &statement));
    FLOOR_TRY(sqlite3_bind_int64(statement, 1, count));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        *sum += sqlite3_column_int64(statement, 0);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

static int bind_ints(sqlite3_stmt *statement, const FloorInts *row) {
    int rc = SQLITE_OK;
    rc |= sqlite3_bind_int64(statement, 1, row->c0);
    rc |= sqlite3_bind_int64(statement, 2, row->c1);
    rc |= sqlite3_bind_int64(statement, 3, row->c2);
    rc |= sqlite3_bind_int64(statement, 4, row->c3);
    rc |= sqlite3_bind_int64(statement, 5, row->c4);
    rc |= sqlite3_bind_int64(statement, 6, row->c5);
    rc |= sqlite3_bind_int64(statement, 7, row->c6);
    rc |= sqlite3_bind_int64(statement, 8, row->c7);
    rc |= sqlite3_bind_int64(statement, 9, row->c8);
    rc |= sqlite3_bind_int64(statement, 10, row->c9);
    return rc;
}

int floor_insert_ints(FloorConnection *connection, const FloorInts *rows, size_t count) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(
        connection,
        "INSERT INTO ints (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(bind_ints(statement, &rows[i]));
        FLOOR_TRY(floor_step_once(statement));
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}
