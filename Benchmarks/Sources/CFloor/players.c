#include "floor.h"

#include <stdlib.h>

enum { PAGE_SIZE = 50, PART_COUNT = 2 };

int floor_bind_requests(FloorConnection *connection, size_t count, int64_t *digest) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(
        connection, "SELECT * FROM player WHERE score > ? AND team = ? ORDER BY score DESC LIMIT 10", &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_int64(statement, 1, (int64_t)(i % 1000)));
        FLOOR_TRY(sqlite3_bind_text(statement, 2, "Reds", 4, SQLITE_STATIC));
        *digest += sqlite3_column_count(statement);
    }
done:
    sqlite3_finalize(statement);
    return rc;
}

static int read_page(sqlite3_stmt *statement, FloorPlayerList *result) {
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorPlayer *player = &result->rows[result->count++];
        player->id = sqlite3_column_int64(statement, 0);
        player->score = sqlite3_column_int64(statement, 3);
        rc = floor_column_text(statement, 1, &player->name);
        rc |= floor_column_text(statement, 2, &player->team);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    return rc;
}

/// The players after a position, in order: those with the same score, and those with a lower score. A search in the
/// index finds each part. A single condition for both would read all players with the same score.
static const char *const parts[PART_COUNT] = {
    "SELECT id, name, team, score FROM player WHERE score = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
    "SELECT id, name, team, score FROM player WHERE score < ?1 ORDER BY score DESC, id LIMIT ?3",
};

int floor_fetch_pages(
    FloorConnection *connection, int64_t score, int64_t id, size_t count, FloorPlayerList *result
) {
    sqlite3_stmt *statements[PART_COUNT] = {0};
    int rc;
    for (int part = 0; part < PART_COUNT; part++) {
        FLOOR_TRY(floor_prepare(connection, parts[part], &statements[part]));
    }
    for (size_t i = 0; i < count; i++) {
        floor_player_list_free(result);
        for (int part = 0; part < PART_COUNT && result->count < PAGE_SIZE; part++) {
            FLOOR_TRY(sqlite3_bind_int64(statements[part], 1, score));
            FLOOR_TRY(sqlite3_bind_int64(statements[part], 2, id));
            FLOOR_TRY(sqlite3_bind_int64(statements[part], 3, PAGE_SIZE - (int64_t)result->count));
            FLOOR_TRY(read_page(statements[part], result));
            FLOOR_TRY(sqlite3_reset(statements[part]));
        }
    }
done:
    for (int part = 0; part < PART_COUNT; part++) {
        sqlite3_finalize(statements[part]);
    }
    return rc;
}

void floor_player_list_free(FloorPlayerList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].name.bytes);
        free(list->rows[i].team.bytes);
    }
    free(list->rows);
    *list = (FloorPlayerList){0};
}
