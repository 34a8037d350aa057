// Pages in an order whose first column may be NULL.
#include "floor.h"

#include <stdlib.h>

enum { PAGE_SIZE = 50, PART_COUNT = 3 };

/// The rows after a position, in order: those with the same score, those with a lower score, and those without a score.
/// A search in the index finds each part. A condition for all of them would contain OR, and read the index from its
/// start.
static const char *const parts[PART_COUNT] = {
    "SELECT id, name, team, score FROM runner WHERE score = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
    "SELECT id, name, team, score FROM runner WHERE score < ?1 ORDER BY score DESC, id LIMIT ?3",
    "SELECT id, name, team, score FROM runner WHERE score IS NULL ORDER BY id LIMIT ?3",
};

static int read_part(sqlite3_stmt *statement, FloorRunnerList *result) {
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorRunner *runner = &result->rows[result->count++];
        runner->id = sqlite3_column_int64(statement, 0);
        rc = floor_column_text(statement, 1, &runner->name);
        rc |= floor_column_text(statement, 2, &runner->team);
        runner->score = floor_column_optional(statement, 3);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    return rc;
}

int floor_fetch_runner_pages(
    FloorConnection *connection, int64_t score, int64_t id, size_t count, FloorRunnerList *result
) {
    sqlite3_stmt *statements[PART_COUNT] = {0};
    int rc;
    for (int part = 0; part < PART_COUNT; part++) {
        FLOOR_TRY(floor_prepare(connection, parts[part], &statements[part]));
    }
    for (size_t i = 0; i < count; i++) {
        floor_runner_list_free(result);
        for (int part = 0; part < PART_COUNT && result->count < PAGE_SIZE; part++) {
            FLOOR_TRY(sqlite3_bind_int64(statements[part], 1, score));
            FLOOR_TRY(sqlite3_bind_int64(statements[part], 2, id));
            FLOOR_TRY(sqlite3_bind_int64(statements[part], 3, PAGE_SIZE - (int64_t)result->count));
            FLOOR_TRY(read_part(statements[part], result));
            FLOOR_TRY(sqlite3_reset(statements[part]));
        }
    }
done:
    for (int part = 0; part < PART_COUNT; part++) {
        sqlite3_finalize(statements[part]);
    }
    return rc;
}

void floor_runner_list_free(FloorRunnerList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].name.bytes);
        free(list->rows[i].team.bytes);
    }
    free(list->rows);
    *list = (FloorRunnerList){0};
}
