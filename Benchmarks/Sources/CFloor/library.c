#include "floor.h"

#include <stdlib.h>
#include <string.h>

static void read_author(sqlite3_stmt *statement, int first, FloorAuthor *author, int *rc) {
    *author = (FloorAuthor){.id = sqlite3_column_int64(statement, first)};
    *rc |= floor_column_text(statement, first + 1, &author->name);
    *rc |= floor_column_text(statement, first + 2, &author->country);
}

static void read_book(sqlite3_stmt *statement, FloorBook *book, int *rc) {
    *book = (FloorBook){
        .id = sqlite3_column_int64(statement, 0),
        .authorId = sqlite3_column_int64(statement, 1),
        .year = sqlite3_column_int64(statement, 3),
    };
    *rc |= floor_column_text(statement, 2, &book->title);
}

// MARK: - Parents by id

/// A hash table with open addressing. Its capacity is a power of two, at least twice the number of parents.
typedef struct {
    int64_t *ids;
    void **parents;
    size_t mask;
} ParentTable;

static int make_parents(ParentTable *table, size_t count) {
    size_t capacity = 16;
    while (capacity < count * 2) {
        capacity *= 2;
    }
    table->ids = malloc(capacity * sizeof *table->ids);
    table->parents = calloc(capacity, sizeof *table->parents);
    table->mask = capacity - 1;
    return table->ids && table->parents ? SQLITE_OK : SQLITE_NOMEM;
}

static void free_parents(ParentTable *table) {
    free(table->ids);
    free(table->parents);
    *table = (ParentTable){0};
}

/// The slot of a parent, or the empty slot for it.
static size_t parent_slot(const ParentTable *table, int64_t id) {
    size_t slot = (size_t)(((uint64_t)id * 0x9E3779B97F4A7C15u) >> 32) & table->mask;
    while (table->parents[slot] && table->ids[slot] != id) {
        slot = (slot + 1) & table->mask;
    }
    return slot;
}

static void add_parent(ParentTable *table, int64_t id, void *parent) {
    const size_t slot = parent_slot(table, id);
    table->ids[slot] = id;
    table->parents[slot] = parent;
}

static void *find_parent(const ParentTable *table, int64_t id) {
    return table->parents[parent_slot(table, id)];
}

// MARK: - Queries

static int fetch_authors(FloorConnection *connection, FloorAuthorList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT id, name, country FROM author", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        rc = SQLITE_OK;
        read_author(statement, 0, &result->rows[result->count++], &rc);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

static int fetch_books(FloorConnection *connection, const ParentTable *authors, size_t *count) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT id, authorId, title, year FROM book", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FloorAuthor *author = find_parent(authors, sqlite3_column_int64(statement, 1));
        if (!author) {
            continue;
        }
        FLOOR_TRY(FLOOR_RESERVE(&author->books));
        rc = SQLITE_OK;
        read_book(statement, &author->books.rows[author->books.count++], &rc);
        FLOOR_TRY(rc);
        *count += 1;
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

static int fetch_reviews(FloorConnection *connection, const ParentTable *books) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, "SELECT id, bookId, rating, text FROM review", &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const int64_t bookId = sqlite3_column_int64(statement, 1);
        FloorBook *book = find_parent(books, bookId);
        if (!book) {
            continue;
        }
        FLOOR_TRY(FLOOR_RESERVE(&book->reviews));
        FloorReview *review = &book->reviews.rows[book->reviews.count++];
        review->id = sqlite3_column_int64(statement, 0);
        review->bookId = bookId;
        review->rating = sqlite3_column_int64(statement, 2);
        FLOOR_TRY(floor_column_text(statement, 3, &review->text));
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_library(FloorConnection *connection, FloorAuthorList *result) {
    ParentTable authors = {0}, books = {0};
    size_t bookCount = 0;
    int rc;
    FLOOR_TRY(fetch_authors(connection, result));
    FLOOR_TRY(make_parents(&authors, result->count));
    for (size_t i = 0; i < result->count; i++) {
        add_parent(&authors, result->rows[i].id, &result->rows[i]);
    }
    FLOOR_TRY(fetch_books(connection, &authors, &bookCount));
    FLOOR_TRY(make_parents(&books, bookCount));
    for (size_t i = 0; i < result->count; i++) {
        FloorBookList *list = &result->rows[i].books;
        for (size_t j = 0; j < list->count; j++) {
            add_parent(&books, list->rows[j].id, &list->rows[j]);
        }
    }
    FLOOR_TRY(fetch_reviews(connection, &books));
done:
    free_parents(&authors);
    free_parents(&books);
    return rc;
}

int floor_fetch_books_with_authors(FloorConnection *connection, FloorBookInfoList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(
        connection,
        "SELECT book.id, authorId, title, year, author.id, name, country "
        "FROM book JOIN author ON author.id = authorId",
        &statement));
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorBookInfo *info = &result->rows[result->count++];
        rc = SQLITE_OK;
        read_book(statement, &info->book, &rc);
        read_author(statement, 4, &info->author, &rc);
        FLOOR_TRY(rc);
    }
    rc = floor_done(rc);
done:
    sqlite3_finalize(statement);
    return rc;
}

static int read_tallies(sqlite3_stmt *statement, FloorTallyList *result) {
    int rc;
    const bool hasSum = sqlite3_column_count(statement) == 4;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        FLOOR_TRY(FLOOR_RESERVE(result));
        FloorTally *tally = &result->rows[result->count++];
        tally->id = sqlite3_column_int64(statement, 0);
        tally->bookCount = sqlite3_column_int64(statement, 2);
        tally->yearSum = hasSum ? sqlite3_column_int64(statement, 3) : 0;
        FLOOR_TRY(floor_column_text(statement, 1, &tally->name));
    }
    rc = floor_done(rc);
done:
    return rc;
}

int floor_fetch_tallies(FloorConnection *connection, const char *sql, FloorTallyList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, sql, &statement));
    rc = read_tallies(statement, result);
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_tallies_again(FloorConnection *connection, const char *sql, size_t count, FloorTallyList *result) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, sql, &statement));
    for (size_t i = 0; i < count; i++) {
        floor_tally_list_free(result);
        FLOOR_TRY(read_tallies(statement, result));
        FLOOR_TRY(sqlite3_reset(statement));
    }
done:
    sqlite3_finalize(statement);
    return rc;
}

int floor_fetch_tallies_by_id(
    FloorConnection *connection, const char *sql, const int64_t *ids, size_t count, FloorTallyList *result
) {
    sqlite3_stmt *statement = NULL;
    int rc;
    FLOOR_TRY(floor_prepare(connection, sql, &statement));
    for (size_t i = 0; i < count; i++) {
        FLOOR_TRY(sqlite3_bind_int64(statement, 1, ids[i]));
        FLOOR_TRY(read_tallies(statement, result));
        FLOOR_TRY(sqlite3_reset(statement));
    }
done:
    sqlite3_finalize(statement);
    return rc;
}

// MARK: - Freeing

static void free_reviews(FloorReviewList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].text.bytes);
    }
    free(list->rows);
}

static void free_author(FloorAuthor *author) {
    free(author->name.bytes);
    free(author->country.bytes);
    for (size_t i = 0; i < author->books.count; i++) {
        free(author->books.rows[i].title.bytes);
        free_reviews(&author->books.rows[i].reviews);
    }
    free(author->books.rows);
}

void floor_author_list_free(FloorAuthorList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free_author(&list->rows[i]);
    }
    free(list->rows);
    *list = (FloorAuthorList){0};
}

void floor_book_info_list_free(FloorBookInfoList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].book.title.bytes);
        free_author(&list->rows[i].author);
    }
    free(list->rows);
    *list = (FloorBookInfoList){0};
}

void floor_tally_list_free(FloorTallyList *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->rows[i].name.bytes);
    }
    free(list->rows);
    *list = (FloorTallyList){0};
}
