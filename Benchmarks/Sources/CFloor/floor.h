// Shared by the files of the floor: the connection, growable lists, and reading and binding places.
#ifndef FLOOR_H
#define FLOOR_H

#include "CFloor.h"

#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

struct FloorConnection {
    sqlite3 *db;
};

/// Leaves the function's body for its clean-up, with the error code in the local variable `rc`.
#define FLOOR_TRY(call)             \
    do {                            \
        rc = (call);                \
        if (rc != SQLITE_OK) {      \
            goto done;              \
        }                           \
    } while (0)

/// Makes room for one more element, doubling the capacity.
#define FLOOR_RESERVE(list)                                                                \
    ((list)->count < (list)->capacity                                                      \
         ? SQLITE_OK                                                                       \
         : floor_grow((void **)&(list)->rows, &(list)->capacity, sizeof *(list)->rows))

int floor_grow(void **rows, size_t *capacity, size_t size);

int floor_prepare(FloorConnection *connection, const char *sql, sqlite3_stmt **statement);
/// Runs a statement that returns no row, and resets it for the next execution.
int floor_step_once(sqlite3_stmt *statement);
/// Converts the SQLITE_DONE that ends an iteration to SQLITE_OK.
static inline int floor_done(int code) {
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

#define FLOOR_PLACE_COLUMNS "id, title, isFavorite, latitude, longitude, note, created"
#define FLOOR_INSERT_PLACE                                                             \
    "INSERT INTO place (title, isFavorite, latitude, longitude, note, created) "      \
    "VALUES (?, ?, ?, ?, ?, ?)"

/// The text of a date, which must outlive the execution of the statement.
typedef struct {
    char bytes[24];
} FloorDateText;

/// Reads a text column into an owned copy.
int floor_column_text(sqlite3_stmt *statement, int column, FloorText *text);
/// Reads an integer column that may be NULL.
static inline FloorOptionalInt floor_column_optional(sqlite3_stmt *statement, int column) {
    const int64_t value = sqlite3_column_int64(statement, column);
    // Only a zero can be a NULL.
    return (FloorOptionalInt){value, value == 0 && sqlite3_column_type(statement, column) == SQLITE_NULL};
}
/// Reads a place from the current row of a statement that selects FLOOR_PLACE_COLUMNS.
int floor_column_place(sqlite3_stmt *statement, FloorPlace *place);
/// Binds all columns except the id to the parameters 1 to 6.
int floor_bind_place(sqlite3_stmt *statement, const FloorPlace *place, FloorDateText *date);
void floor_place_free(FloorPlace *place);

#endif
