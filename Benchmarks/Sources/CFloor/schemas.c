// Tables compared with their definitions in the program.
#include "floor.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *type;
    int isNotNull, isKey;
} ExpectedColumn;

static const ExpectedColumn expected[] = {
    {"id", "INTEGER", 0, 1}, {"name", "TEXT", 1, 0}, {"score", "INTEGER", 1, 0}, {"note", "TEXT", 0, 0},
    {"previousId", "INTEGER", 0, 0},
};
enum { EXPECTED_COUNT = sizeof expected / sizeof *expected };

static int text_equals(sqlite3_stmt *statement, int column, const char *text) {
    const char *value = (const char *)sqlite3_column_text(statement, column);
    return value && strcmp(value, text) == 0;
}

static int check_columns(FloorConnection *connection, size_t number, int64_t *mismatches) {
    sqlite3_stmt *columns = NULL;
    int found[EXPECTED_COUNT] = {0};
    char sql[80];
    int rc;
    snprintf(sql, sizeof sql, "PRAGMA main.table_xinfo(\"entry%zu\")", number);
    FLOOR_TRY(floor_prepare(connection, sql, &columns));
    while ((rc = sqlite3_step(columns)) == SQLITE_ROW) {
        for (int i = 0; i < EXPECTED_COUNT; i++) {
            if (!text_equals(columns, 1, expected[i].name)) {
                continue;
            }
            found[i] = 1;
            *mismatches += !text_equals(columns, 2, expected[i].type);
            *mismatches += sqlite3_column_int(columns, 3) != expected[i].isNotNull;
            *mismatches += sqlite3_column_int(columns, 5) != expected[i].isKey;
        }
    }
    for (int i = 0; i < EXPECTED_COUNT; i++) {
        *mismatches += !found[i];
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(columns);
    return rc;
}

/// Whether there is an index that begins with a column.
static int find_index(FloorConnection *connection, size_t number, const char *column, int *isFound) {
    sqlite3_stmt *list = NULL, *info = NULL;
    char sql[200];
    int rc;
    snprintf(sql, sizeof sql, "PRAGMA main.index_list(\"entry%zu\")", number);
    FLOOR_TRY(floor_prepare(connection, sql, &list));
    while ((rc = sqlite3_step(list)) == SQLITE_ROW) {
        snprintf(sql, sizeof sql, "PRAGMA main.index_info(\"%s\")", (const char *)sqlite3_column_text(list, 1));
        FLOOR_TRY(floor_prepare(connection, sql, &info));
        if (sqlite3_step(info) == SQLITE_ROW) {
            *isFound |= text_equals(info, 2, column);
        }
        sqlite3_finalize(info);
        info = NULL;
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(info);
    sqlite3_finalize(list);
    return rc;
}

static int check_foreign_keys(FloorConnection *connection, size_t number, int64_t *mismatches) {
    sqlite3_stmt *keys = NULL;
    char sql[80];
    int rc;
    snprintf(sql, sizeof sql, "PRAGMA main.foreign_key_list(\"entry%zu\")", number);
    FLOOR_TRY(floor_prepare(connection, sql, &keys));
    while ((rc = sqlite3_step(keys)) == SQLITE_ROW) {
        int isFound = 0;
        FLOOR_TRY(find_index(connection, number, (const char *)sqlite3_column_text(keys, 3), &isFound));
        *mismatches += !isFound;
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(keys);
    return rc;
}

int floor_check_schema(FloorConnection *connection, size_t count, int64_t *mismatches) {
    int rc = SQLITE_OK;
    for (size_t number = 0; number < count; number++) {
        FLOOR_TRY(check_columns(connection, number, mismatches));
        FLOOR_TRY(check_foreign_keys(connection, number, mismatches));
    }
done:
    return rc;
}
