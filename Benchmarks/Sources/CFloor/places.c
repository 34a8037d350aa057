#include "floor.h"

#include "dates.h"

int floor_column_text(sqlite3_stmt *statement, int column, FloorText *text) {
    const char *bytes = (const char *)sqlite3_column_text(statement, column);
    if (!bytes) {
        *text = (FloorText){0};
        return SQLITE_OK;
    }
    *text = floor_text(bytes, sqlite3_column_bytes(statement, column));
    return text->bytes ? SQLITE_OK : SQLITE_NOMEM;
}

int floor_column_place(sqlite3_stmt *statement, FloorPlace *place) {
    *place = (FloorPlace){0};
    place->id = sqlite3_column_int64(statement, 0);
    int rc = floor_column_text(statement, 1, &place->title);
    place->isFavorite = sqlite3_column_int(statement, 2) != 0;
    place->latitude = sqlite3_column_double(statement, 3);
    place->longitude = sqlite3_column_double(statement, 4);
    rc |= floor_column_text(statement, 5, &place->note);
    const char *date = (const char *)sqlite3_column_text(statement, 6);
    if (!date || !floor_parse_date(date, sqlite3_column_bytes(statement, 6), &place->created)) {
        rc = SQLITE_MISMATCH;
    }
    return rc;
}

int floor_bind_place(sqlite3_stmt *statement, const FloorPlace *place, FloorDateText *date) {
    int rc = sqlite3_bind_text(statement, 1, place->title.bytes, place->title.length, SQLITE_STATIC);
    rc |= sqlite3_bind_int(statement, 2, place->isFavorite);
    rc |= sqlite3_bind_double(statement, 3, place->latitude);
    rc |= sqlite3_bind_double(statement, 4, place->longitude);
    // Binding a null pointer binds NULL.
    rc |= sqlite3_bind_text(statement, 5, place->note.bytes, place->note.length, SQLITE_STATIC);
    floor_format_date(place->created, date->bytes);
    rc |= sqlite3_bind_text(statement, 6, date->bytes, FLOOR_DATE_LENGTH, SQLITE_STATIC);
    return rc;
}

int floor_fetch_places(FloorConnection *connection, FloorPlaceList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT " FLOOR_PLACE_COLUMNS " FROM place", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FLOOR_TRY(floor_column_place(statement, &result->rows[result->count++]));
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_insert_places(FloorConnection *connection, FloorPlace *places, size_t count) {
    sqlite3_stmt *statement = NULL;
    FloorDateText date;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, FLOOR_INSERT_PLACE, &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(floor_bind_place(statement, &places[i], &date));
        FLOOR_TRY(floor_step_once(statement));
        places[i].id = sqlite3_last_insert_rowid(connection->db);
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

int floor_update_places(FloorConnection *connection, const FloorPlace *places, size_t count) {
    sqlite3_stmt *statement = NULL;
    FloorDateText date;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(
        connection,
        "UPDATE place SET title = ?, isFavorite = ?, latitude = ?, longitude = ?, note = ?, created = ? WHERE id = ?",
        &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(floor_bind_place(statement, &places[i], &date));
        FLOOR_TRY(sqlite3_bind_int64(statement, 7, places[i].id));
        FLOOR_TRY(floor_step_once(statement));
        // As in the toolkits, updating a missing row is an error.
        FLOOR_TRY(sqlite3_changes(connection->db) == 1 ? SQLITE_OK : SQLITE_NOTFOUND);
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}
