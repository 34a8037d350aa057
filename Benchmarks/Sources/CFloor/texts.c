// Full-text tables: inserting and searching texts.
#include "floor.h"

#include <stdlib.h>

int floor_insert_pages(
    FloorConnection *connection, const char *const *titles, const char *const *bodies, size_t count) {
    sqlite3_stmt *insert = NULL;
    int rc;
    FLOOR_TRY(floor_execute(connection, "BEGIN IMMEDIATE"));
    FLOOR_TRY(floor_prepare(connection, "INSERT INTO page (title, body) VALUES (?, ?)", &insert));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_text(insert, 1, titles[i], -1, SQLITE_STATIC));
        FLOOR_TRY(sqlite3_bind_text(insert, 2, bodies[i], -1, SQLITE_STATIC));
        FLOOR_TRY(floor_step_once(insert));
    }
    sqlite3_finalize(insert);
    insert = NULL;
    FLOOR_TRY(floor_execute(connection, "COMMIT"));
done:
    sqlite3_finalize(insert);
    return rc;
}

int floor_search_pages(
    FloorConnection *connection, const char *const *patterns, size_t count, FloorFindingList *result) {
    sqlite3_stmt *search = NULL;
    int rc;
    FLOOR_TRY(floor_execute(connection, "BEGIN"));
    FLOOR_TRY(floor_prepare(
        connection,
        "SELECT title, snippet(page, 1, '<b>', '</b>', '\xE2\x80\xA6', 10) FROM page WHERE page MATCH ? "
        "ORDER BY rank LIMIT 10",
        &search));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_text(search, 1, patterns[i], -1, SQLITE_STATIC));
        while ((rc = sqlite3_step(search)) == SQLITE_ROW) {
            FLOOR_TRY(FLOOR_RESERVE(result));
            FloorFinding *finding = &result->rows[result->count++];
            *finding = (FloorFinding){0};
            FLOOR_TRY(floor_column_text(search, 0, &finding->title));
            FLOOR_TRY(floor_column_text(search, 1, &finding->excerpt));
        }
        FLOOR_TRY(floor_done(rc));
        FLOOR_TRY(sqlite3_reset(search));
    }
    sqlite3_finalize(search);
    search = NULL;
    FLOOR_TRY(floor_execute(connection, "COMMIT"));
done:
    sqlite3_finalize(search);
    return rc;
}

void floor_finding_list_free(FloorFindingList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].title.bytes);
        free(list->rows[i].excerpt.bytes);
    }
    free(list->rows);
    *list = (FloorFindingList){0};
}
