// Players in a table of any size: inserted, read one after another, and read by id.
#include "floor.h"

#include <stdlib.h>
#include <string.h>

int floor_insert_players(
    FloorConnection *connection, const char *const *names, size_t nameCount, const char *const *teams,
    size_t teamCount, size_t count
) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(
        connection, "INSERT INTO player (id, name, team, score) VALUES (?, ?, ?, ?)", &statement));
    for (size_t id = 1; id <= count; id++) {
        rc = sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
        rc |= sqlite3_bind_text(statement, 2, names[id % nameCount], -1, SQLITE_STATIC);
        rc |= sqlite3_bind_text(statement, 3, teams[id % teamCount], -1, SQLITE_STATIC);
        rc |= sqlite3_bind_int64(statement, 4, (sqlite3_int64)(id * 7919 % 5003));
        FLOOR_TRY(rc);
        FLOOR_TRY(floor_step_once(statement));
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

/// Creates a player that owns its texts, digests it, and frees it.
static int digest_player(sqlite3_stmt *statement, int64_t *digest) {
    FloorPlayer player = {.id = sqlite3_column_int64(statement, 0), .score = sqlite3_column_int64(statement, 3)};
    int rc = floor_column_text(statement, 1, &player.name);
    rc |= floor_column_text(statement, 2, &player.team);
    *digest += player.id + player.score + player.name.length + player.team.length;
    free(player.name.bytes);
    free(player.team.bytes);
    return rc;
}

int floor_digest_players(FloorConnection *connection, int64_t *digest) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT id, name, team, score FROM player", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(digest_player(statement, digest));
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_digest_players_by_id(FloorConnection *connection, const int64_t *ids, size_t count, int64_t *digest) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, "SELECT id, name, team, score FROM player WHERE id = ?", &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_int64(statement, 1, ids[i]));
        rc = sqlite3_step(statement);
        FLOOR_TRY(rc == SQLITE_ROW ? digest_player(statement, digest) : rc == SQLITE_DONE ? SQLITE_NOTFOUND : rc);
        FLOOR_TRY(sqlite3_reset(statement));
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}
