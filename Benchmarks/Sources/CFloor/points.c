#include "floor.h"
#include <time.h>

#define SELECT_PLACE "SELECT " FLOOR_PLACE_COLUMNS " FROM place WHERE id = ?"

/// Reads one place by its id, digests it, and frees it.
static int read_point(sqlite3_stmt *statement, int64_t id, int64_t *digest) {
    FloorPlace place = {0};
    int rc;
    FLOOR_TRY(sqlite3_bind_int64(statement, 1, id));
    rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW) {
        rc = rc == SQLITE_DONE ? SQLITE_NOTFOUND : rc;
        goto done;
    }
    FLOOR_TRY(floor_column_place(statement, &place));
    *digest += place.id + place.title.length;
done:
    floor_place_free(&place);
    const int reset = sqlite3_reset(statement);
    return rc == SQLITE_OK ? reset : rc;
}

int floor_read_points(FloorConnection *connection, const int64_t *ids, size_t count, int64_t *digest) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, SELECT_PLACE, &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(read_point(statement, ids[i], digest));
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int floor_read_points_in_transactions(
    FloorConnection *connection, const int64_t *ids, size_t count, int64_t *digest, uint64_t *latencies
) {
    sqlite3_stmt *begin = NULL, *select = NULL, *commit = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "BEGIN", &begin));
    FLOOR_TRY(floor_prepare(connection, SELECT_PLACE, &select));
    FLOOR_TRY(floor_prepare(connection, "COMMIT", &commit));
    for (size_t i = 0; i < count; i++) {
        const uint64_t start = latencies ? nanoseconds() : 0;
        FLOOR_TRY(floor_step_once(begin));
        FLOOR_TRY(read_point(select, ids[i], digest));
        FLOOR_TRY(floor_step_once(commit));
        if (latencies) {
            latencies[i] = nanoseconds() - start;
        }
    }
done:
    sqlite3_finalize(begin);
    sqlite3_finalize(select);
    sqlite3_finalize(commit);
    return rc;
}

int floor_write_points(FloorConnection *connection, FloorPlace *places, size_t count) {
    sqlite3_stmt *begin = NULL, *insert = NULL, *commit = NULL;
    FloorDateText date;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "BEGIN IMMEDIATE", &begin));
    FLOOR_TRY(floor_prepare(connection, FLOOR_INSERT_PLACE, &insert));
    FLOOR_TRY(floor_prepare(connection, "COMMIT", &commit));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(floor_step_once(begin));
        FLOOR_TRY(floor_bind_place(insert, &places[i], &date));
        FLOOR_TRY(floor_step_once(insert));
        places[i].id = sqlite3_last_insert_rowid(connection->db);
        FLOOR_TRY(floor_step_once(commit));
    }
done:
    sqlite3_finalize(begin);
    sqlite3_finalize(insert);
    sqlite3_finalize(commit);
    return rc;
}
