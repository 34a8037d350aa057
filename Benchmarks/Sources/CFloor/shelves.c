#include "floor.h"

#include <stdlib.h>
#include <string.h>

// Open addressing by room and number. The capacity is a power of two, at least twice the number of shelves.

typedef struct {
    FloorShelf **shelves;
    size_t mask;
} ShelfTable;

static size_t shelf_hash(const char *room, int length, int64_t number) {
    uint64_t hash = 0xCBF29CE484222325u ^ (uint64_t)number;
    for (int i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)room[i]) * 0x100000001B3u;
    }
    return (size_t)((hash * 0x9E3779B97F4A7C15u) >> 32);
}

static FloorShelf **shelf_slot(const ShelfTable *table, const char *room, int length, int64_t number) {
    size_t slot = shelf_hash(room, length, number) & table->mask;
    for (;;) {
        FloorShelf *shelf = table->shelves[slot];
        if (!shelf || (shelf->number == number && shelf->room.length == length
                       && memcmp(shelf->room.bytes, room, (size_t)length) == 0)) {
            return &table->shelves[slot];
        }
        slot = (slot + 1) & table->mask;
    }
}

static int make_table(ShelfTable *table, FloorShelfList *list) {
    size_t capacity = 16;
    while (capacity < list->count * 2) {
        capacity *= 2;
    }
    table->shelves = calloc(capacity, sizeof *table->shelves);
    table->mask = capacity - 1;
    if (!table->shelves) {
        return SQLITE_NOMEM;
    }
    for (size_t i = 0; i < list->count; i++) {
        FloorShelf *shelf = &list->rows[i];
        *shelf_slot(table, shelf->room.bytes, shelf->room.length, shelf->number) = shelf;
    }
    return SQLITE_OK;
}

static int fetch_all(FloorConnection *connection, FloorShelfList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT room, number, label FROM shelf", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorShelf *shelf = &result->rows[result->count++];
        *shelf = (FloorShelf){.number = sqlite3_column_int64(statement, 1)};
        rc = floor_column_text(statement, 0, &shelf->room);
        rc |= floor_column_text(statement, 2, &shelf->label);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_shelves(FloorConnection *connection, FloorShelfList *result) {
    sqlite3_stmt *statement = NULL;
    ShelfTable table = {0};
    int rc;
    FLOOR_TRY(fetch_all(connection, result));
    FLOOR_TRY(make_table(&table, result));
    FLOOR_TRY(floor_prepare(connection, "SELECT id, room, shelfNumber, title FROM volume", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *room = (const char *)sqlite3_column_text(statement, 1);
        const int64_t number = sqlite3_column_int64(statement, 2);
        FloorShelf *shelf = *shelf_slot(&table, room, sqlite3_column_bytes(statement, 1), number);
        if (!shelf) {
            continue;
        }
        FLOOR_TRY(FLOOR_RESERVE(&shelf->volumes));
        FloorVolume *volume = &shelf->volumes.rows[shelf->volumes.count++];
        *volume = (FloorVolume){.id = sqlite3_column_int64(statement, 0), .shelfNumber = number};
        rc = floor_column_text(statement, 1, &volume->room);
        rc |= floor_column_text(statement, 3, &volume->title);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    free(table.shelves);
    return rc;
}

void floor_shelf_list_free(FloorShelfList *list) {
    for (size_t i = 0; i < list->count; i++) {
        FloorShelf *shelf = &list->rows[i];
        free(shelf->room.bytes);
        free(shelf->label.bytes);
        for (size_t j = 0; j < shelf->volumes.count; j++) {
            free(shelf->volumes.rows[j].room.bytes);
            free(shelf->volumes.rows[j].title.bytes);
        }
        free(shelf->volumes.rows);
    }
    free(list->rows);
    *list = (FloorShelfList){0};
}
