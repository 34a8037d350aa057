// Tables of sqlite-vec: inserting and searching vectors.
#include "floor.h"

#include <dlfcn.h>
#include <stdlib.h>

/// The entry point of the extension.
static void (*vectors)(void) = NULL;

int floor_add_vectors(const char *library) {
    if (!vectors) {
        void *handle = dlopen(library, RTLD_NOW);
        void *symbol = handle ? dlsym(handle, "sqlite3_vec_init") : NULL;
        if (!symbol) {
            return SQLITE_ERROR;
        }
        *(void **)&vectors = symbol;
    }
    return sqlite3_auto_extension(vectors);
}

void floor_remove_vectors(void) { sqlite3_cancel_auto_extension(vectors); }

int floor_insert_vectors(FloorConnection *connection, const float *elements, size_t dimension, size_t count) {
    sqlite3_stmt *insert = NULL;
    int rc;
    FLOOR_TRY(floor_execute(connection, "BEGIN IMMEDIATE"));
    FLOOR_TRY(floor_prepare(connection, "INSERT INTO item_vec (id, embedding) VALUES (?, ?)", &insert));
    for (size_t i = 0; i < count; i++) {
        const int bytes = (int)(dimension * sizeof(float));
        FLOOR_TRY(sqlite3_bind_int64(insert, 1, (int64_t)i + 1));
        FLOOR_TRY(sqlite3_bind_blob(insert, 2, elements + i * dimension, bytes, SQLITE_STATIC));
        FLOOR_TRY(floor_step_once(insert));
    }
    sqlite3_finalize(insert);
    insert = NULL;
    FLOOR_TRY(floor_execute(connection, "COMMIT"));
done:
    sqlite3_finalize(insert);
    return rc;
}

int floor_search_vectors(
    FloorConnection *connection, const float *elements, size_t dimension, size_t count, FloorNeighborList *result) {
    sqlite3_stmt *search = NULL;
    int rc;
    FLOOR_TRY(floor_execute(connection, "BEGIN"));
    FLOOR_TRY(floor_prepare(
        connection,
        "SELECT id, distance FROM item_vec WHERE embedding MATCH ? AND k = ? AND (+distance) IS NOT NULL "
        "ORDER BY distance",
        &search));
    for (size_t i = 0; i < count; i++) {
        const int bytes = (int)(dimension * sizeof(float));
        FLOOR_TRY(sqlite3_bind_blob(search, 1, elements + i * dimension, bytes, SQLITE_STATIC));
        FLOOR_TRY(sqlite3_bind_int(search, 2, 10));
        while ((rc = sqlite3_step(search)) == SQLITE_ROW) {
            FLOOR_TRY(FLOOR_RESERVE(result));
            result->rows[result->count++] =
                (FloorNeighbor){sqlite3_column_int64(search, 0), sqlite3_column_double(search, 1)};
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

void floor_neighbor_list_free(FloorNeighborList *list) {
    free(list->rows);
    *list = (FloorNeighborList){0};
}
