#include "floor.h"

#include <stdlib.h>

int floor_fetch_orders(FloorConnection *connection, FloorOrderList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(
        connection,
        "SELECT id, customerId, reference, name, street, city, region, postalCode, country, phone, comment, "
        "employeeId, shipperId, freight FROM orders",
        &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorOrder *order = &result->rows[result->count++];
        rc = SQLITE_OK;
        order->id = sqlite3_column_int64(statement, 0);
        order->customerId = sqlite3_column_int64(statement, 1);
        for (int i = 0; i < 9; i++) {
            rc |= floor_column_text(statement, 2 + i, &order->texts[i]);
        }
        order->employeeId = floor_column_optional(statement, 11);
        order->shipperId = floor_column_optional(statement, 12);
        order->freight = sqlite3_column_double(statement, 13);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_documents(FloorConnection *connection, FloorDocumentList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT id, title, address, tags FROM document", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorDocument *document = &result->rows[result->count++];
        *document = (FloorDocument){.id = sqlite3_column_int64(statement, 0)};
        rc = floor_column_text(statement, 1, &document->title);
        rc |= floor_column_text(statement, 2, &document->address);
        rc |= floor_column_text(statement, 3, &document->tags);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_measures(FloorConnection *connection, FloorMeasureList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT id, station, value, unit, note, raw FROM measure", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorMeasure *measure = &result->rows[result->count++];
        *measure = (FloorMeasure){
            .id = sqlite3_column_int64(statement, 0),
            .station = sqlite3_column_int64(statement, 1),
            .value = sqlite3_column_double(statement, 2),
        };
        rc = floor_column_text(statement, 3, &measure->unit);
        rc |= floor_column_text(statement, 4, &measure->note);
        // Never NULL, never empty.
        const void *raw = sqlite3_column_blob(statement, 5);
        measure->raw = floor_text(raw, sqlite3_column_bytes(statement, 5));
        FLOOR_TRY(rc | (measure->raw.bytes ? SQLITE_OK : SQLITE_NOMEM));
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_update_stocks(FloorConnection *connection, const int64_t *stocks, size_t count) {
    sqlite3_stmt *statement = NULL;
    int rc = floor_execute(connection, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return rc;
    }
    FLOOR_TRY(floor_prepare(connection, "UPDATE item SET stock = ? WHERE id = ?", &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_int64(statement, 1, stocks[i]));
        FLOOR_TRY(sqlite3_bind_int64(statement, 2, (sqlite3_int64)i + 1));
        FLOOR_TRY(floor_step_once(statement));
        FLOOR_TRY(sqlite3_changes(connection->db) == 1 ? SQLITE_OK : SQLITE_NOTFOUND);
    }
done:
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? floor_execute(connection, "COMMIT") : rc;
}

// MARK: - Freeing

void floor_order_list_free(FloorOrderList *list) {
    for (size_t i = 0; i < list->count; i++) {
        for (int j = 0; j < 9; j++) {
            free(list->rows[i].texts[j].bytes);
        }
    }
    free(list->rows);
    *list = (FloorOrderList){0};
}

void floor_document_list_free(FloorDocumentList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].title.bytes);
        free(list->rows[i].address.bytes);
        free(list->rows[i].tags.bytes);
    }
    free(list->rows);
    *list = (FloorDocumentList){0};
}

void floor_measure_list_free(FloorMeasureList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].unit.bytes);
        free(list->rows[i].note.bytes);
        free(list->rows[i].raw.bytes);
    }
    free(list->rows);
    *list = (FloorMeasureList){0};
}
