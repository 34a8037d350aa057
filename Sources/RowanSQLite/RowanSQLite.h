// SQLite as found by pkg-config (the system's, or one of Scripts/sqlite), and inline wrappers for functions that Swift
// can't call: variadic functions and cast macros. Only this header knows build options: optional functions are looked up
// at run time, so a program links with any SQLite.
#ifndef ROWAN_CSQLITE_H
#define ROWAN_CSQLITE_H

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_COLUMN_METADATA 1
#define SQLITE_ENABLE_SESSION 1
#include <sqlite3.h>

/// Sets a boolean option of a connection, one of SQLITE_DBCONFIG_*. https://sqlite.org/c3ref/db_config.html
static inline int rowan_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

/// Sets an option of the virtual table that is being connected. https://sqlite.org/c3ref/vtab_config.html
static inline int rowan_vtab_config(sqlite3 *db, int option) { return sqlite3_vtab_config(db, option); }

/// The value of a boolean option of a connection, or -1 if this SQLite does not know it.
static inline int rowan_db_config_value(sqlite3 *db, int option) {
    int value = -1;
    return sqlite3_db_config(db, option, -1, &value) == SQLITE_OK ? value : -1;
}

typedef void (*rowan_log_function)(void *context, int code, const char *message);

/// Installs the process-wide error log. https://sqlite.org/errlog.html
static inline int rowan_config_log(rowan_log_function function) {
    return sqlite3_config(SQLITE_CONFIG_LOG, function, (void *)0);
}

/// Writes to the error log of the process. https://sqlite.org/c3ref/log.html
static inline void rowan_log(int code, const char *message) { sqlite3_log(code, "%s", message); }

// SQLite may be built without the pre-update hook: the program must run even if the symbol is missing.
#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_old
#pragma weak sqlite3_preupdate_new
#pragma weak sqlite3_preupdate_count
#pragma weak sqlite3_preupdate_depth
#if SQLITE_VERSION_NUMBER >= 3036000
#pragma weak sqlite3_preupdate_blobwrite
#endif

static inline int rowan_has_preupdate_hook(void) { return sqlite3_preupdate_hook != 0; }

// SQLite may be built without its session extension, and its header may not declare it.
// https://sqlite.org/sessionintro.html
#if defined(__SQLITESESSION_H_)
#pragma weak sqlite3changeset_apply_v2
#pragma weak sqlite3changeset_op
#pragma weak sqlite3changeset_old
#pragma weak sqlite3changeset_new
#pragma weak sqlite3changeset_conflict
#pragma weak sqlite3changeset_fk_conflicts
#pragma weak sqlite3rebaser_create
#pragma weak sqlite3rebaser_configure
#pragma weak sqlite3rebaser_rebase
#pragma weak sqlite3rebaser_delete
#define ROWAN_SESSION(call) (sqlite3changeset_apply_v2 != 0 && sqlite3rebaser_create != 0 ? (call) : SQLITE_ERROR)
#else
typedef struct sqlite3_changeset_iter sqlite3_changeset_iter;
#define ROWAN_SESSION(call) SQLITE_ERROR
#define SQLITE_CHANGESET_DATA 1
#define SQLITE_CHANGESET_NOTFOUND 2
#define SQLITE_CHANGESET_CONFLICT 3
#define SQLITE_CHANGESET_CONSTRAINT 4
#define SQLITE_CHANGESET_FOREIGN_KEY 5
#define SQLITE_CHANGESET_OMIT 0
#define SQLITE_CHANGESET_REPLACE 1
#define SQLITE_CHANGESET_ABORT 2
#endif

/// Whether the running SQLite has the session extension.
static inline int rowan_has_sessions(void) { return ROWAN_SESSION(SQLITE_OK) == SQLITE_OK; }

// Without the extension, these return SQLITE_ERROR. Results are freed by sqlite3_free.

typedef int (*rowan_conflict_function)(void *context, int kind, sqlite3_changeset_iter *change);

/// Applies a changeset to the main database. The rebase data describes how conflicts were resolved.
static inline int rowan_changeset_apply(
    sqlite3 *db, int count, void *bytes, rowan_conflict_function conflict, void *context, void **rebase, int *rebase_count
) {
    return ROWAN_SESSION(sqlite3changeset_apply_v2(
        db, count, bytes, (int (*)(void *, const char *))0, conflict, context, rebase, rebase_count, 0));
}

/// The table and the operation of the change in conflict. Call these only in the function of an apply.
static inline int rowan_changeset_operation(
    sqlite3_changeset_iter *change, const char **table, int *column_count, int *operation, int *is_indirect
) {
    return ROWAN_SESSION(sqlite3changeset_op(change, table, column_count, operation, is_indirect));
}

static inline int rowan_changeset_old(sqlite3_changeset_iter *change, int index, sqlite3_value **value) {
    return ROWAN_SESSION(sqlite3changeset_old(change, index, value));
}

static inline int rowan_changeset_new(sqlite3_changeset_iter *change, int index, sqlite3_value **value) {
    return ROWAN_SESSION(sqlite3changeset_new(change, index, value));
}

/// A value of the row that is in the way.
static inline int rowan_changeset_conflict(sqlite3_changeset_iter *change, int index, sqlite3_value **value) {
    return ROWAN_SESSION(sqlite3changeset_conflict(change, index, value));
}

/// The number of rows without a parent.
static inline int rowan_changeset_foreign_keys(sqlite3_changeset_iter *change, int *count) {
    return ROWAN_SESSION(sqlite3changeset_fk_conflicts(change, count));
}

/// A changeset that can be applied after other changes whose conflicts were resolved.
static inline int rowan_changeset_rebase(
    int rebase_count, const void *rebase, int count, const void *bytes, int *result_count, void **result
) {
#if defined(__SQLITESESSION_H_)
    sqlite3_rebaser *rebaser = (sqlite3_rebaser *)0;
    int code = ROWAN_SESSION(sqlite3rebaser_create(&rebaser));
    if (code == SQLITE_OK) code = sqlite3rebaser_configure(rebaser, rebase_count, rebase);
    if (code == SQLITE_OK) code = sqlite3rebaser_rebase(rebaser, count, bytes, result_count, result);
    if (rebaser != (sqlite3_rebaser *)0) sqlite3rebaser_delete(rebaser);
    return code;
#else
    return SQLITE_ERROR;
#endif
}

// SQLite may be built without databases as bytes.
#pragma weak sqlite3_serialize
#pragma weak sqlite3_deserialize

static inline int rowan_can_serialize(void) { return sqlite3_serialize != 0 && sqlite3_deserialize != 0; }

#if SQLITE_VERSION_NUMBER >= 3038000
#pragma weak sqlite3_error_offset

/// The place of the last error in its SQL, or -1. https://sqlite.org/c3ref/errcode.html
static inline int rowan_error_offset(sqlite3 *db) { return sqlite3_error_offset == 0 ? -1 : sqlite3_error_offset(db); }
#else
static inline int rowan_error_offset(sqlite3 *db) { return -1; }
#endif

typedef void (*rowan_preupdate_function)(
    void *context, sqlite3 *db, int operation, const char *schema, const char *table, sqlite3_int64 old_rowid,
    sqlite3_int64 new_rowid);

/// Calls a function before each change of a row. Returns the context of the previous function.
/// https://sqlite.org/c3ref/preupdate_blobwrite.html
static inline void *rowan_preupdate_hook(sqlite3 *db, rowan_preupdate_function function, void *context) {
    if (sqlite3_preupdate_hook == 0) return (void *)0;
    return sqlite3_preupdate_hook(
        db, (void (*)(void *, sqlite3 *, int, char const *, char const *, sqlite3_int64, sqlite3_int64))function,
        context);
}

// Call these in the hook only.

/// The value of a column before the change. Returns SQLITE_RANGE if SQLite has none at this index.
static inline int rowan_preupdate_old(sqlite3 *db, int index, sqlite3_value **value) {
    return sqlite3_preupdate_old != 0 ? sqlite3_preupdate_old(db, index, value) : SQLITE_ERROR;
}

/// The value of a column after the change. Returns SQLITE_RANGE if SQLite has none at this index.
static inline int rowan_preupdate_new(sqlite3 *db, int index, sqlite3_value **value) {
    return sqlite3_preupdate_new != 0 ? sqlite3_preupdate_new(db, index, value) : SQLITE_ERROR;
}

/// The number of columns of the table.
static inline int rowan_preupdate_count(sqlite3 *db) {
    return sqlite3_preupdate_count != 0 ? sqlite3_preupdate_count(db) : 0;
}

/// 0 for a change of the statement itself, 1 for one of a trigger, 2 for one of a trigger of a trigger...
static inline int rowan_preupdate_depth(sqlite3 *db) {
    return sqlite3_preupdate_depth != 0 ? sqlite3_preupdate_depth(db) : 0;
}

/// Whether sqlite3_blob_write is about to write: SQLite reports it as a deletion.
static inline int rowan_preupdate_is_blob_write(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3036000
    return sqlite3_preupdate_blobwrite != 0 && sqlite3_preupdate_blobwrite(db) >= 0;
#else
    return 0;
#endif
}

/// Whether a value of the row before the change is the NULL that stands for a missing value: the row is older than the
/// column. SQLite provides the default of the column since 3.53; up to then, it lends one and the same NULL.
static inline int rowan_preupdate_is_missing(sqlite3_value *value) {
    return sqlite3_libversion_number() < 3053000 && value == sqlite3_column_value((sqlite3_stmt *)0, 0);
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

/// The significant digits of a double that SQLite converts to text: 15, or 17 since 3.53. SQLite is asked once.
static inline int rowan_double_digits(void) {
    static int known = 0;
    int digits = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (digits != 0) return digits;
    digits = 15;
    sqlite3 *db = (sqlite3 *)0;
    sqlite3_stmt *statement = (sqlite3_stmt *)0;
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, (const char *)0) == SQLITE_OK
        && sqlite3_prepare_v2(db, "SELECT CAST(1.0 / 3 AS TEXT)", -1, &statement, (const char **)0) == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_ROW) {
        // All but "0.".
        int count = sqlite3_column_bytes(statement, 0) - 2;
        if (count > 3 && count < 24) digits = count;
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    __atomic_store_n(&known, digits, __ATOMIC_RELAXED);
    return digits;
}

/// Writes a double as SQLite converts it to text.
static inline void rowan_double_text(char *buffer, int size, double value) {
    sqlite3_snprintf(size, buffer, "%!.*g", rowan_double_digits(), value);
}

/// Writes a double with all its digits, as quote() does if fewer digits stand for another double.
static inline void rowan_double_long_text(char *buffer, int size, double value) {
    sqlite3_snprintf(size, buffer, "%!.20e", value);
}

// SQLite may be built without extensions in libraries, as Apple's is. On ELF systems, the function is null then; elsewhere,
// a build with SQLITE_ENABLE_LOAD_EXTENSION says that it exists.
#if defined(__ELF__)
int sqlite3_load_extension(sqlite3 *db, const char *file, const char *entry_point, char **message)
    __attribute__((weak));
#define ROWAN_CAN_LOAD_EXTENSIONS (sqlite3_load_extension != 0)
#elif defined(SQLITE_ENABLE_LOAD_EXTENSION)
#define ROWAN_CAN_LOAD_EXTENSIONS 1
#else
#define ROWAN_CAN_LOAD_EXTENSIONS 0
#endif

/// Whether the running SQLite can load extensions.
static inline int rowan_can_load_extensions(void) {
    return ROWAN_CAN_LOAD_EXTENSIONS && !sqlite3_compileoption_used("OMIT_LOAD_EXTENSION");
}

/// Loads an extension while the connection allows it. https://sqlite.org/c3ref/load_extension.html
static inline int rowan_load_extension(sqlite3 *db, const char *file, const char *entry_point, char **message) {
#if defined(__ELF__) || defined(SQLITE_ENABLE_LOAD_EXTENSION)
    return ROWAN_CAN_LOAD_EXTENSIONS ? sqlite3_load_extension(db, file, entry_point, message) : SQLITE_ERROR;
#else
    return SQLITE_ERROR;
#endif
}

typedef int (*rowan_extension_entry_point)(sqlite3 *db, char **message, const sqlite3_api_routines *routines);

#if !defined(__APPLE__)
static const sqlite3_api_routines *rowan_known_routines = (const sqlite3_api_routines *)0;

/// An entry point that remembers the functions it is given.
static inline int rowan_note_routines(sqlite3 *db, char **message, const sqlite3_api_routines *routines) {
    (void)db, (void)message;
    __atomic_store_n(&rowan_known_routines, routines, __ATOMIC_RELEASE);
    return SQLITE_OK;
}
#endif

/// The functions that SQLite gives to extensions, which only entry points receive. An extension that is compiled with
/// SQLITE_CORE needs none; Apple's SQLite has none to give.
static inline const sqlite3_api_routines *rowan_api_routines(void) {
#if defined(__APPLE__)
    return (const sqlite3_api_routines *)0;
#else
    const sqlite3_api_routines *known = __atomic_load_n(&rowan_known_routines, __ATOMIC_ACQUIRE);
    if (known != 0) return known;
    sqlite3 *db = (sqlite3 *)0;
    // Connections that other threads open meanwhile call it, too: it does nothing else.
    if (sqlite3_auto_extension((void (*)(void))rowan_note_routines) != SQLITE_OK) return known;
    sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, (const char *)0);
    sqlite3_close(db);
    sqlite3_cancel_auto_extension((void (*)(void))rowan_note_routines);
    return __atomic_load_n(&rowan_known_routines, __ATOMIC_ACQUIRE);
#endif
}

// The codec of SQLCipher, which encrypts files. On ELF systems, its functions are null if the program's SQLite has no
// codec; elsewhere, the header decides. https://www.zetetic.net/sqlcipher/sqlcipher-api/
#if defined(__ELF__)
int sqlite3_key_v2(sqlite3 *db, const char *name, const void *key, int count) __attribute__((weak));
int sqlite3_rekey_v2(sqlite3 *db, const char *name, const void *key, int count) __attribute__((weak));
#define ROWAN_HAS_CODEC (sqlite3_key_v2 != 0 && sqlite3_rekey_v2 != 0)
#elif defined(SQLITE_HAS_CODEC)
#define ROWAN_HAS_CODEC 1
#else
#define ROWAN_HAS_CODEC 0
#endif

/// Whether the running SQLite can encrypt files.
static inline int rowan_has_codec(void) { return ROWAN_HAS_CODEC; }

/// Sets the key of a connection's file. Returns SQLITE_ERROR without a codec.
static inline int rowan_key(sqlite3 *db, const void *key, int count) {
#if defined(__ELF__) || defined(SQLITE_HAS_CODEC)
    return ROWAN_HAS_CODEC ? sqlite3_key_v2(db, "main", key, count) : SQLITE_ERROR;
#else
    return SQLITE_ERROR;
#endif
}

/// Encrypts the file of a connection with another key. Returns SQLITE_ERROR without a codec.
static inline int rowan_rekey(sqlite3 *db, const void *key, int count) {
#if defined(__ELF__) || defined(SQLITE_HAS_CODEC)
    return ROWAN_HAS_CODEC ? sqlite3_rekey_v2(db, "main", key, count) : SQLITE_ERROR;
#else
    return SQLITE_ERROR;
#endif
}

#endif
