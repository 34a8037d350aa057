// The system's SQLite, and inline wrappers for what Swift cannot call: variadic functions and cast macros.
// This header is the only place that knows build flavours.
#ifndef ROWAN_CSQLITE_H
#define ROWAN_CSQLITE_H

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_COLUMN_METADATA 1
#include <sqlite3.h>

/// Sets a boolean option of a connection, one of SQLITE_DBCONFIG_*. https://sqlite.org/c3ref/db_config.html
static inline int rowan_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

typedef void (*rowan_log_function)(void *context, int code, const char *message);

/// Installs the process-wide error log. https://sqlite.org/errlog.html
static inline int rowan_config_log(rowan_log_function function) {
    return sqlite3_config(SQLITE_CONFIG_LOG, function, (void *)0);
}

/// Binds text that SQLite copies.
static inline int rowan_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/// Binds text that outlives the execution of the statement.
static inline int rowan_bind_static_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_STATIC);
}

/// Binds a blob that SQLite copies.
static inline int rowan_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a blob that outlives the execution of the statement.
static inline int rowan_bind_static_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

/// Results of functions, copied by SQLite.
static inline void rowan_result_text(sqlite3_context *context, const char *text, sqlite3_uint64 count) {
    sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void rowan_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

/// Writes a double as SQLite converts it to text.
static inline void rowan_double_text(char *buffer, int size, double value) {
    sqlite3_snprintf(size, buffer, "%!.15g", value);
}

#endif
