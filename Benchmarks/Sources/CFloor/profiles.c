// Records that are saved (updated if they exist, otherwise inserted), and records that are changed after that.
#include "floor.h"

#include <stdlib.h>

static int bind_profile(sqlite3_stmt *statement, const FloorProfile *profile) {
    int rc = sqlite3_bind_text(statement, 1, profile->id.bytes, profile->id.length, SQLITE_STATIC);
    rc |= sqlite3_bind_text(statement, 2, profile->name.bytes, profile->name.length, SQLITE_STATIC);
    rc |= sqlite3_bind_text(statement, 3, profile->address.bytes, profile->address.length, SQLITE_STATIC);
    rc |= sqlite3_bind_text(statement, 4, profile->tags.bytes, profile->tags.length, SQLITE_STATIC);
    return rc;
}

int floor_save_profiles(FloorConnection *connection, const FloorProfile *profiles, size_t count) {
    sqlite3_stmt *update = NULL, *insert = NULL;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(
        connection, "UPDATE profile SET name = ?2, address = ?3, tags = ?4 WHERE id = ?1", &update));
    FLOOR_TRY(floor_prepare(
        connection, "INSERT INTO profile (id, name, address, tags) VALUES (?1, ?2, ?3, ?4)", &insert));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(bind_profile(update, &profiles[i]));
        FLOOR_TRY(floor_step_once(update));
        if (sqlite3_changes(connection->db) == 0) {
            FLOOR_TRY(bind_profile(insert, &profiles[i]));
            FLOOR_TRY(floor_step_once(insert));
        }
    }
done:
    sqlite3_finalize(update);
    sqlite3_finalize(insert);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

int floor_insert_and_update_places(FloorConnection *connection, FloorPlace *places, size_t count) {
    sqlite3_stmt *insert = NULL, *update = NULL;
    FloorDateText date;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, FLOOR_INSERT_PLACE, &insert));
    FLOOR_TRY(floor_prepare(connection, "UPDATE place SET latitude = ? WHERE id = ?", &update));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(floor_bind_place(insert, &places[i], &date));
        FLOOR_TRY(floor_step_once(insert));
        places[i].id = sqlite3_last_insert_rowid(connection->db);
        places[i].latitude += 1;
        FLOOR_TRY(sqlite3_bind_double(update, 1, places[i].latitude));
        FLOOR_TRY(sqlite3_bind_int64(update, 2, places[i].id));
        FLOOR_TRY(floor_step_once(update));
        FLOOR_TRY(sqlite3_changes(connection->db) == 1 ? SQLITE_OK : SQLITE_NOTFOUND);
    }
done:
    sqlite3_finalize(insert);
    sqlite3_finalize(update);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

void floor_free_profiles(FloorProfile *profiles, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(profiles[i].id.bytes);
        free(profiles[i].name.bytes);
        free(profiles[i].address.bytes);
        free(profiles[i].tags.bytes);
    }
}
