#include "floor.h"

#include <stdlib.h>
#include <string.h>

int floor_grow(void **rows, size_t *capacity, size_t size) {
    const size_t larger = *capacity ? *capacity * 2 : 16;
    void *moved = realloc(*rows, larger * size);
    if (!moved) {
        return SQLITE_NOMEM;
    }
    *rows = moved;
    *capacity = larger;
    return SQLITE_OK;
}

FloorText floor_text(const char *bytes, int length) {
    FloorText text = {malloc((size_t)length + 1), length};
    if (text.bytes) {
        memcpy(text.bytes, bytes, (size_t)length);
        text.bytes[length] = 0;
    }
    return text;
}

int floor_place_list_append(FloorPlaceList *list, FloorPlace place) {
    const int rc = FLOOR_RESERVE(list);
    if (rc == SQLITE_OK) {
        list->rows[list->count++] = place;
    }
    return rc;
}

void floor_int_list_free(FloorIntList *list) {
    free(list->rows);
    *list = (FloorIntList){0};
}

void floor_ints_list_free(FloorIntsList *list) {
    free(list->rows);
    *list = (FloorIntsList){0};
}

void floor_place_free(FloorPlace *place) {
    free(place->title.bytes);
    free(place->note.bytes);
}

void floor_place_list_free(FloorPlaceList *list) {
    for (size_t i = 0; i < list->count; i++) {
        floor_place_free(&list->rows[i]);
    }
    free(list->rows);
    *list = (FloorPlaceList){0};
}
