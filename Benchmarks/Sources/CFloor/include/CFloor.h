// The floor: the code that a careful C programmer writes against the SQLite C API.
//
// Statements are prepared once, values are bound by index without copies, and results are growable arrays of plain
// structs that own their text. No SQLite type appears here, so that the Swift side of the floor does not import SQLite.
//
// Functions that return `int` return an SQLite result code: zero is success.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Values

typedef struct {
    int64_t c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
} FloorInts;

/// Owned UTF-8 text, zero-terminated. `bytes` is NULL for an SQL NULL.
typedef struct {
    char *bytes;
    int length;
} FloorText;

typedef struct {
    int64_t id;
    FloorText title;
    bool isFavorite;
    double latitude;
    double longitude;
    FloorText note;
    /// Seconds since 1970. Stored as "YYYY-MM-DD HH:MM:SS.SSS", in UTC.
    double created;
} FloorPlace;

typedef struct {
    int64_t *rows;
    size_t count, capacity;
} FloorIntList;

typedef struct {
    FloorInts *rows;
    size_t count, capacity;
} FloorIntsList;

typedef struct {
    FloorPlace *rows;
    size_t count, capacity;
} FloorPlaceList;

/// An owned copy of `length` bytes, zero-terminated.
FloorText floor_text(const char *bytes, int length);
int floor_place_list_append(FloorPlaceList *list, FloorPlace place);
void floor_int_list_free(FloorIntList *list);
void floor_ints_list_free(FloorIntsList *list);
void floor_place_list_free(FloorPlaceList *list);

// MARK: - A library

typedef struct {
    int64_t id, bookId, rating;
    FloorText text;
} FloorReview;

typedef struct {
    FloorReview *rows;
    size_t count, capacity;
} FloorReviewList;

typedef struct {
    int64_t id, authorId, year;
    FloorText title;
    FloorReviewList reviews;
} FloorBook;

typedef struct {
    FloorBook *rows;
    size_t count, capacity;
} FloorBookList;

typedef struct {
    int64_t id;
    FloorText name, country;
    FloorBookList books;
} FloorAuthor;

typedef struct {
    FloorAuthor *rows;
    size_t count, capacity;
} FloorAuthorList;

typedef struct {
    FloorBook book;
    FloorAuthor author;
} FloorBookInfo;

typedef struct {
    FloorBookInfo *rows;
    size_t count, capacity;
} FloorBookInfoList;

/// The number of an author's books, and the sum of their years.
typedef struct {
    int64_t id, bookCount, yearSum;
    FloorText name;
} FloorTally;

typedef struct {
    FloorTally *rows;
    size_t count, capacity;
} FloorTallyList;

typedef struct {
    int64_t id, score;
    FloorText name, team;
} FloorPlayer;

typedef struct {
    FloorPlayer *rows;
    size_t count, capacity;
} FloorPlayerList;

void floor_author_list_free(FloorAuthorList *list);
void floor_book_info_list_free(FloorBookInfoList *list);
void floor_tally_list_free(FloorTallyList *list);
void floor_player_list_free(FloorPlayerList *list);

// MARK: - Other tables

typedef struct {
    int64_t value;
    bool isNull;
} FloorOptionalInt;

typedef struct {
    int64_t id, customerId;
    FloorText texts[9];
    FloorOptionalInt employeeId, shipperId;
    double freight;
} FloorOrder;

typedef struct {
    FloorOrder *rows;
    size_t count, capacity;
} FloorOrderList;

/// `address` and `tags` are JSON that the floor does not decode.
typedef struct {
    int64_t id;
    FloorText title, address, tags;
} FloorDocument;

typedef struct {
    FloorDocument *rows;
    size_t count, capacity;
} FloorDocumentList;

typedef struct {
    int64_t id, station;
    double value;
    FloorText unit, note, raw;
} FloorMeasure;

typedef struct {
    FloorMeasure *rows;
    size_t count, capacity;
} FloorMeasureList;

typedef struct {
    int64_t id, shelfNumber;
    FloorText room, title;
} FloorVolume;

typedef struct {
    FloorVolume *rows;
    size_t count, capacity;
} FloorVolumeList;

typedef struct {
    int64_t number;
    FloorText room, label;
    FloorVolumeList volumes;
} FloorShelf;

typedef struct {
    FloorShelf *rows;
    size_t count, capacity;
} FloorShelfList;

typedef struct {
    FloorText title, excerpt;
} FloorFinding;

typedef struct {
    FloorFinding *rows;
    size_t count, capacity;
} FloorFindingList;

typedef struct {
    int64_t id;
    double distance;
} FloorNeighbor;

typedef struct {
    FloorNeighbor *rows;
    size_t count, capacity;
} FloorNeighborList;

typedef struct {
    int64_t id;
    FloorOptionalInt score;
    FloorText name, team;
} FloorRunner;

typedef struct {
    FloorRunner *rows;
    size_t count, capacity;
} FloorRunnerList;

typedef struct {
    int64_t id, ownerId, priority, due;
    FloorText code, status, title;
} FloorTicket;

/// A changeset of SQLite's session extension.
typedef struct {
    void *bytes;
    int length;
} FloorChanges;

/// `address` and `tags` are JSON that the floor does not encode.
typedef struct {
    FloorText id, name, address, tags;
} FloorProfile;

void floor_runner_list_free(FloorRunnerList *list);
/// Frees the texts.
void floor_free_changes(FloorChanges *changes);
void floor_free_tickets(FloorTicket *tickets, size_t count);
void floor_free_profiles(FloorProfile *profiles, size_t count);
void floor_finding_list_free(FloorFindingList *list);
void floor_order_list_free(FloorOrderList *list);
void floor_document_list_free(FloorDocumentList *list);
void floor_measure_list_free(FloorMeasureList *list);
void floor_shelf_list_free(FloorShelfList *list);

// MARK: - Connections

typedef struct FloorConnection FloorConnection;

/// The page caches of connections that write and of a pool's readers, in units of 1,024 bytes.
enum { FLOOR_WRITER_CACHE = 16384, FLOOR_READER_CACHE = 4096 };

int floor_open(const char *path, int cache_kilobytes, FloorConnection **connection);
void floor_close(FloorConnection *connection);
/// The message of the last failure.
const char *floor_message(FloorConnection *connection);
/// Runs statements that return no row.
int floor_execute(FloorConnection *connection, const char *sql);
/// The first column of the first row, or NULL. Release it with `free`.
char *floor_copy_text(FloorConnection *connection, const char *sql);

// MARK: - Whole tables

int floor_fetch_int(FloorConnection *connection, FloorIntList *result);
int floor_fetch_ints(FloorConnection *connection, FloorIntsList *result);
int floor_fetch_places(FloorConnection *connection, FloorPlaceList *result);
/// The sum of the integers from one to `count`, generated row by row.
int floor_sum_generated(FloorConnection *connection, int64_t count, int64_t *sum);

int floor_insert_ints(FloorConnection *connection, const FloorInts *rows, size_t count);
/// Sets each place's id to the rowid chosen by SQLite.
int floor_insert_places(FloorConnection *connection, FloorPlace *places, size_t count);
int floor_update_places(FloorConnection *connection, const FloorPlace *places, size_t count);
int floor_fetch_orders(FloorConnection *connection, FloorOrderList *result);
int floor_fetch_documents(FloorConnection *connection, FloorDocumentList *result);
int floor_fetch_measures(FloorConnection *connection, FloorMeasureList *result);
/// Sets the stock of items 1 to `count`.
int floor_update_stocks(FloorConnection *connection, const int64_t *stocks, size_t count);
/// Runs the statements in a text in a transaction.
int floor_run_script(FloorConnection *connection, const char *sql);

// MARK: - Tables with indexes
// In one transaction. Tickets are identified by id.

int floor_insert_tickets(FloorConnection *connection, const FloorTicket *tickets, size_t count);
int floor_update_tickets(FloorConnection *connection, const FloorTicket *tickets, size_t count);
int floor_record_tickets(
    FloorConnection *connection, const FloorTicket *tickets, size_t count, FloorChanges *changes);
int floor_apply_changes(FloorConnection *connection, const FloorChanges *changes);
int floor_undo_changes(FloorConnection *connection, const FloorChanges *changes);
int64_t floor_count_changes(const FloorChanges *changes);
int floor_upsert_tickets(FloorConnection *connection, const FloorTicket *tickets, size_t count);
int floor_delete_tickets(FloorConnection *connection, const int64_t *ids, size_t count, int64_t *deleted);

/// Updates each profile, or inserts it if it doesn't exist.
int floor_save_profiles(FloorConnection *connection, const FloorProfile *profiles, size_t count);
/// Inserts each place, then updates its latitude.
int floor_insert_and_update_places(FloorConnection *connection, FloorPlace *places, size_t count);

// MARK: - A writer next to readers

/// A connection that limits its write-ahead log to 64 MB with its own checkpoints, which replace SQLite's.
typedef struct FloorWriter FloorWriter;

int floor_writer_open(FloorConnection *connection, FloorWriter **writer);
/// Changes the coordinates of the places whose ids are in a range, in one transaction.
int floor_writer_move(FloorWriter *writer, int64_t first, int64_t last);
void floor_writer_close(FloorWriter *writer);
/// Makes a connection wait for locks held by others, for at most a second.
int floor_wait_for_locks(FloorConnection *connection);

// MARK: - Players in a table of any size
// The digests include the ids, the scores, and the lengths of the texts.

/// Inserts players 1 to `count`, with recurring names and teams.
int floor_insert_players(
    FloorConnection *connection, const char *const *names, size_t nameCount, const char *const *teams,
    size_t teamCount, size_t count);
/// Reads all players, row by row.
int floor_digest_players(FloorConnection *connection, int64_t *digest);
int floor_digest_players_by_id(FloorConnection *connection, const int64_t *ids, size_t count, int64_t *digest);

/// Runs three commands in the sqlite3 shell on a database.
int floor_run_shell(const char *path, const char *first, const char *second, const char *third);

// MARK: - One row at a time
// Each read creates a place that owns its text, adds its id and the length of its title to `digest`, and frees it.

/// All reads, within one BEGIN and COMMIT.
int floor_read_points(FloorConnection *connection, const int64_t *ids, size_t count, int64_t *digest);
/// Each read within its own BEGIN and COMMIT. If `latencies` is not NULL, it receives the nanoseconds of each.
int floor_read_points_in_transactions(
    FloorConnection *connection, const int64_t *ids, size_t count, int64_t *digest, uint64_t *latencies);
/// Each insertion within its own BEGIN IMMEDIATE and COMMIT.
int floor_write_points(FloorConnection *connection, FloorPlace *places, size_t count);
/// Inserts with an update hook that counts events for the given number of observers; without a hook if it is zero.
int floor_insert_observed_ints(
    FloorConnection *connection, const FloorInts *rows, size_t count, size_t observers, int64_t *events);
/// Inserts into one table after another, each in a transaction, and queries the table on another connection. The query
/// texts contain `%d` for the number of the table. `values` receives the last values of the queries.
int floor_write_and_query(
    FloorConnection *writer, FloorConnection *reader, const char *query, size_t tables, size_t count, int64_t *values);
/// Opens, reads one integer and closes, `count` times.
int floor_open_read_close(const char *path, size_t count, int64_t *digest);

/// Migrates an empty database, each version in a transaction. The digest is the number of versions.
int floor_migrate(FloorConnection *connection, size_t count, int64_t *digest);

/// Compares the given number of tables with their expected definitions. The digest is the number of mismatches.
int floor_check_schema(FloorConnection *connection, size_t count, int64_t *mismatches);

// MARK: - Full text

/// Inserts texts into the full-text table, in a transaction.
int floor_insert_pages(FloorConnection *connection, const char *const *titles, const char *const *bodies, size_t count);
/// The ten best matches for each pattern, with a snippet.
int floor_search_pages(
    FloorConnection *connection, const char *const *patterns, size_t count, FloorFindingList *result);

// MARK: - Vectors

/// Adds the sqlite-vec extension to all connections that the process opens from now on.
int floor_add_vectors(const char *library);
void floor_remove_vectors(void);
/// Inserts vectors with the ids 1, 2, ..., in a transaction.
int floor_insert_vectors(FloorConnection *connection, const float *elements, size_t dimension, size_t count);
/// The ten nearest vectors for each search.
int floor_search_vectors(
    FloorConnection *connection, const float *elements, size_t dimension, size_t count, FloorNeighborList *result);
void floor_neighbor_list_free(FloorNeighborList *list);

// MARK: - Queries

/// All authors with their books, and the books with their reviews: three queries.
int floor_fetch_library(FloorConnection *connection, FloorAuthorList *result);
/// All shelves with their volumes: two queries.
int floor_fetch_shelves(FloorConnection *connection, FloorShelfList *result);
/// All books, each with its author: one query.
int floor_fetch_books_with_authors(FloorConnection *connection, FloorBookInfoList *result);
/// The rows of a query with an author's id, name, number of books and, if it has four columns, sum of years.
int floor_fetch_tallies(FloorConnection *connection, const char *sql, FloorTallyList *result);
/// Runs the query once for each id, its only parameter.
int floor_fetch_tallies_by_id(
    FloorConnection *connection, const char *sql, const int64_t *ids, size_t count, FloorTallyList *result);
/// Runs a query without parameters `count` times, and keeps the last result.
int floor_fetch_tallies_again(FloorConnection *connection, const char *sql, size_t count, FloorTallyList *result);
/// Binds two arguments to a statement `count` times, and adds its number of columns to `digest`.
int floor_bind_requests(FloorConnection *connection, size_t count, int64_t *digest);
/// Fetches the fifty players after one in the ranking, `count` times, and keeps the last page. The ranking is by
/// descending score, then by id.
int floor_fetch_pages(
    FloorConnection *connection, int64_t score, int64_t id, size_t count, FloorPlayerList *result);
/// The same for runners, whose score may be NULL.
int floor_fetch_runner_pages(
    FloorConnection *connection, int64_t score, int64_t id, size_t count, FloorRunnerList *result);

#endif
