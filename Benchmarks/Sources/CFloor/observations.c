// The equivalents of observers: a hook that counts, and a query after each commit.
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t *counts;
    size_t observers;
} Counters;

static void count_event(void *context, int operation, const char *database, const char *table, sqlite3_int64 rowid) {
    Counters *counters = context;
    (void)operation, (void)database, (void)rowid;
    if (strcmp(table, "ints") == 0) {
        for (size_t i = 0; i < counters->observers; i++) {
            counters->counts[i]++;
        }
    }
}

int floor_insert_observed_ints(
    FloorConnection *connection, const FloorInts *rows, size_t count, size_t observers, int64_t *events
) {
    Counters counters = {calloc(observers + 1, sizeof(int64_t)), observers};
    if (!counters.counts) {
        return SQLITE_NOMEM;
    }
    if (observers > 0) {
        sqlite3_update_hook(connection->db, count_event, &counters);
    }
    const int rc = floor_insert_ints(connection, rows, count);
    sqlite3_update_hook(connection->db, NULL, NULL);
    for (size_t i = 0; i < observers; i++) {
        *events += counters.counts[i];
    }
    free(counters.counts);
    return rc;
}

/// Prepares an SQL text that contains the number of the table.
static int prepare_for_table(FloorConnection *connection, const char *format, size_t table, sqlite3_stmt **statement) {
    char sql[256];
    snprintf(sql, sizeof sql, format, (int)table, (int)table);
    return floor_prepare(connection, sql, statement);
}

int floor_write_and_query(
    FloorConnection *writer, FloorConnection *reader, const char *query, size_t tables, size_t count, int64_t *values
) {
    sqlite3_stmt **inserts = calloc(tables, sizeof *inserts), **queries = calloc(tables, sizeof *queries);
    sqlite3_stmt *begin = NULL, *commit = NULL;
    int rc = inserts && queries ? SQLITE_OK : SQLITE_NOMEM;
    FLOOR_TRY(rc);
    FLOOR_TRY(floor_prepare(writer, "BEGIN IMMEDIATE", &begin));
    FLOOR_TRY(floor_prepare(writer, "COMMIT", &commit));
    for (size_t i = 0; i < tables; i++) {
        FLOOR_TRY(prepare_for_table(writer, "INSERT INTO t%d (team) VALUES (%d)", i + 1, &inserts[i]));
        FLOOR_TRY(prepare_for_table(reader, query, i + 1, &queries[i]));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t table = i % tables;
        FLOOR_TRY(floor_step_once(begin));
        FLOOR_TRY(floor_step_once(inserts[table]));
        FLOOR_TRY(floor_step_once(commit));
        if (sqlite3_step(queries[table]) == SQLITE_ROW) {
            values[table] = sqlite3_column_int64(queries[table], 0);
        }
        FLOOR_TRY(sqlite3_reset(queries[table]));
    }
done:
    for (size_t i = 0; inserts && queries && i < tables; i++) {
        sqlite3_finalize(inserts[i]);
        sqlite3_finalize(queries[i]);
    }
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    free(inserts);
    free(queries);
    return rc;
}
