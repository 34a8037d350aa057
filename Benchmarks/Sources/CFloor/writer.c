// A writer that limits its write-ahead log with its own checkpoints.
#include "floor.h"

#include <stdlib.h>
#include <time.h>

enum {
    AUTOMATIC_FRAMES = 1000,
    /// 64 MB. A frame consists of a page and its header.
    MAXIMUM_FRAMES = (64 << 20) / (4096 + 24),
    LOCK_TIMEOUT = 1000,
    /// A tenth of a second, in nanoseconds.
    TRUNCATION_TIMEOUT = 100000000,
};

struct FloorWriter {
    FloorConnection *connection;
    sqlite3_stmt *update;
    /// The earliest time of the next truncation, in nanoseconds.
    int64_t next_truncation;
};

static int64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Pauses briefly, because eight readers leave few gaps.
static int wait_for_readers(void *context, int count) {
    (void)count;
    const int64_t *start = context;
    const struct timespec pause = {0, 200000};
    return nanoseconds() - *start < TRUNCATION_TIMEOUT && nanosleep(&pause, NULL) == 0;
}

/// Copies the log into the file without waiting. Above the maximum, waits for the readers and truncates the log; after
/// a failed attempt, does not retry for ten times its duration.
static int did_commit(void *context, sqlite3 *db, const char *schema, int frames) {
    FloorWriter *writer = context;
    int64_t start = nanoseconds();
    if (frames > MAXIMUM_FRAMES && start >= writer->next_truncation) {
        sqlite3_busy_handler(db, wait_for_readers, &start);
        if (sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) != SQLITE_OK) {
            const int64_t end = nanoseconds();
            writer->next_truncation = end + (end - start) * 10;
        }
        sqlite3_busy_timeout(db, LOCK_TIMEOUT);
    } else if (frames >= AUTOMATIC_FRAMES) {
        sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
    return SQLITE_OK;
}

int floor_writer_open(FloorConnection *connection, FloorWriter **writer) {
    FloorWriter *opened = calloc(1, sizeof *opened);
    if (!opened) {
        return SQLITE_NOMEM;
    }
    opened->connection = connection;
    int rc;
    FLOOR_TRY(floor_wait_for_locks(connection));
    FLOOR_TRY(floor_prepare(
        connection, "UPDATE place SET latitude = latitude + 1 WHERE id BETWEEN ? AND ?", &opened->update));
    sqlite3_wal_hook(connection->db, did_commit, opened);
    *writer = opened;
    return SQLITE_OK;
done:
    free(opened);
    return rc;
}

int floor_writer_move(FloorWriter *writer, int64_t first, int64_t last) {
    int rc;
    // The only statement of its transaction.
    FLOOR_TRY(sqlite3_bind_int64(writer->update, 1, first));
    FLOOR_TRY(sqlite3_bind_int64(writer->update, 2, last));
    FLOOR_TRY(floor_step_once(writer->update));
done:
    return rc;
}

void floor_writer_close(FloorWriter *writer) {
    sqlite3_wal_hook(writer->connection->db, NULL, NULL);
    sqlite3_finalize(writer->update);
    free(writer);
}

int floor_wait_for_locks(FloorConnection *connection) {
    return sqlite3_busy_timeout(connection->db, LOCK_TIMEOUT);
}
