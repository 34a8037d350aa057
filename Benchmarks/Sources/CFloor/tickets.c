// Writes into a table with four indexes, row by row, in one transaction.
#include "floor.h"

#include <stdlib.h>

#define ASSIGN_TICKET "code = ?2, ownerId = ?3, status = ?4, priority = ?5, title = ?6, due = ?7"
#define INSERT_TICKET                                                      \
    "INSERT INTO ticket (id, code, ownerId, status, priority, title, due) " \
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"

static int bind_ticket(sqlite3_stmt *statement, const FloorTicket *ticket) {
    int rc = sqlite3_bind_int64(statement, 1, ticket->id);
    rc |= sqlite3_bind_text(statement, 2, ticket->code.bytes, ticket->code.length, SQLITE_STATIC);
    rc |= sqlite3_bind_int64(statement, 3, ticket->ownerId);
    rc |= sqlite3_bind_text(statement, 4, ticket->status.bytes, ticket->status.length, SQLITE_STATIC);
    rc |= sqlite3_bind_int64(statement, 5, ticket->priority);
    rc |= sqlite3_bind_text(statement, 6, ticket->title.bytes, ticket->title.length, SQLITE_STATIC);
    rc |= sqlite3_bind_int64(statement, 7, ticket->due);
    return rc;
}

/// Runs a statement for each ticket. Each run must change one row.
static int write_tickets(FloorConnection *connection, const char *sql, const FloorTicket *tickets, size_t count) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, sql, &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(bind_ticket(statement, &tickets[i]));
        FLOOR_TRY(floor_step_once(statement));
        FLOOR_TRY(sqlite3_changes(connection->db) == 1 ? SQLITE_OK : SQLITE_NOTFOUND);
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

int floor_insert_tickets(FloorConnection *connection, const FloorTicket *tickets, size_t count) {
    return write_tickets(connection, INSERT_TICKET, tickets, count);
}

int floor_update_tickets(FloorConnection *connection, const FloorTicket *tickets, size_t count) {
    return write_tickets(connection, "UPDATE ticket SET " ASSIGN_TICKET " WHERE id = ?1", tickets, count);
}

int floor_record_tickets(
    FloorConnection *connection, const FloorTicket *tickets, size_t count, FloorChanges *changes) {
    sqlite3_session *session = NULL;
    int rc = sqlite3session_create(connection->db, "main", &session);
    if (rc == SQLITE_OK) rc = sqlite3session_attach(session, NULL);
    if (rc == SQLITE_OK) rc = floor_update_tickets(connection, tickets, count);
    if (rc == SQLITE_OK) rc = sqlite3session_changeset(session, &changes->length, &changes->bytes);
    sqlite3session_delete(session);
    return rc;
}

static int refuse_conflict(void *context, int kind, sqlite3_changeset_iter *change) {
    (void)context, (void)kind, (void)change;
    return SQLITE_CHANGESET_ABORT;
}

int floor_apply_changes(FloorConnection *connection, const FloorChanges *changes) {
    return sqlite3changeset_apply_v2(
        connection->db, changes->length, changes->bytes, NULL, refuse_conflict, NULL, NULL, NULL, 0);
}

int floor_undo_changes(FloorConnection *connection, const FloorChanges *changes) {
    FloorChanges inverse = {NULL, 0};
    int rc = sqlite3changeset_invert(changes->length, changes->bytes, &inverse.length, &inverse.bytes);
    if (rc == SQLITE_OK) rc = floor_apply_changes(connection, &inverse);
    sqlite3_free(inverse.bytes);
    return rc;
}

int64_t floor_count_changes(const FloorChanges *changes) {
    sqlite3_changeset_iter *iterator = NULL;
    int64_t count = 0;
    if (sqlite3changeset_start(&iterator, changes->length, changes->bytes) != SQLITE_OK) return -1;
    while (sqlite3changeset_next(iterator) == SQLITE_ROW) count++;
    sqlite3changeset_finalize(iterator);
    return count;
}

void floor_free_changes(FloorChanges *changes) {
    sqlite3_free(changes->bytes);
    changes->bytes = NULL;
}

int floor_upsert_tickets(FloorConnection *connection, const FloorTicket *tickets, size_t count) {
    return write_tickets(
        connection, INSERT_TICKET " ON CONFLICT (id) DO UPDATE SET " ASSIGN_TICKET, tickets, count);
}

int floor_delete_tickets(FloorConnection *connection, const int64_t *ids, size_t count, int64_t *deleted) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, "DELETE FROM ticket WHERE id = ?", &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_int64(statement, 1, ids[i]));
        FLOOR_TRY(floor_step_once(statement));
        *deleted += sqlite3_changes(connection->db);
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

void floor_free_tickets(FloorTicket *tickets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(tickets[i].code.bytes);
        free(tickets[i].status.bytes);
        free(tickets[i].title.bytes);
    }
}
