#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int floor_open(const char *path, int cache_kilobytes, FloorConnection **connection) {
    FloorConnection *opened = malloc(sizeof *opened);
    if (!opened) {
        return SQLITE_NOMEM;
    }
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int rc = sqlite3_open_v2(path, &opened->db, flags, NULL);
    if (rc == SQLITE_OK) {
        // The floor enforces foreign keys, like the toolkits.
        rc = sqlite3_db_config(opened->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    }
    if (rc == SQLITE_OK) {
        char sql[64];
        snprintf(sql, sizeof sql, "PRAGMA cache_size = -%d", cache_kilobytes);
        rc = floor_execute(opened, sql);
    }
    if (rc != SQLITE_OK) {
        floor_close(opened);
        return rc;
    }
    *connection = opened;
    return SQLITE_OK;
}

void floor_close(FloorConnection *connection) {
    sqlite3_close(connection->db);
    free(connection);
}

const char *floor_message(FloorConnection *connection) {
    return sqlite3_errmsg(connection->db);
}

int floor_execute(FloorConnection *connection, const char *sql) {
    return sqlite3_exec(connection->db, sql, NULL, NULL, NULL);
}

int floor_run_script(FloorConnection *connection, const char *sql) {
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc == SQLITE_OK) {
        rc = floor_execute(connection, sql);
    }
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

int floor_prepare(FloorConnection *connection, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(connection->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

int floor_step_once(sqlite3_stmt *statement) {
    sqlite3_step(statement);
    return sqlite3_reset(statement);
}

char *floor_copy_text(FloorConnection *connection, const char *sql) {
    sqlite3_stmt *statement = NULL;
    char *copy = NULL;
    if (floor_prepare(connection, sql, &statement) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        copy = text ? strdup(text) : NULL;
    }
    sqlite3_finalize(statement);
    return copy;
}

int floor_open_read_close(const char *path, size_t count, int64_t *digest) {
    for (size_t i = 0; i < count; i++) {
        FloorConnection *connection = NULL;
        sqlite3_stmt *statement = NULL;
        int rc = floor_open(path, FLOOR_WRITER_CACHE, &connection);
        if (rc != SQLITE_OK) {
            return rc;
        }
        FLOOR_TRY(floor_prepare(connection, "SELECT c3 FROM ints WHERE rowid = 1", &statement));
        rc = sqlite3_step(statement);
        if (rc == SQLITE_ROW) {
            *digest += sqlite3_column_int64(statement, 0);
            rc = SQLITE_OK;
        }
    done:
        sqlite3_finalize(statement);
        floor_close(connection);
        if (rc != SQLITE_OK) {
            return rc;
        }
    }
    return SQLITE_OK;
}
