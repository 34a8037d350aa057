// "YYYY-MM-DD HH:MM:SS.SSS" in UTC, to and from seconds since 1970, with integer arithmetic only.
// Days and civil dates are converted as in https://howardhinnant.github.io/date_algorithms.html
#ifndef FLOOR_DATES_H
#define FLOOR_DATES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { FLOOR_DATE_LENGTH = 23 };

static inline int64_t floor_days_from_civil(int year, int month, int day) {
    year -= month <= 2;
    const int era = (year >= 0 ? year : year - 399) / 400;
    const int yearOfEra = year - era * 400;
    const int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return (int64_t)era * 146097 + dayOfEra - 719468;
}

static inline void floor_civil_from_days(int64_t days, int *year, int *month, int *day) {
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const int dayOfEra = (int)(days - era * 146097);
    const int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
    const int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    const int shifted = (5 * dayOfYear + 2) / 153;
    *day = dayOfYear - (153 * shifted + 2) / 5 + 1;
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = (int)(yearOfEra + era * 400) + (*month <= 2);
}

/// Reads `count` digits; sets `valid` to false for other characters.
static inline int floor_parse_digits(const char *text, int count, bool *valid) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        *valid &= digit <= 9;
        value = value * 10 + (int)digit;
    }
    return value;
}

/// Returns false if the text doesn't have the format that the benchmarks store.
static inline bool floor_parse_date(const char *text, int length, double *seconds) {
    if (length != FLOOR_DATE_LENGTH) {
        return false;
    }
    bool valid = text[4] == '-' && text[7] == '-' && text[10] == ' ' && text[13] == ':' && text[16] == ':'
        && text[19] == '.';
    const int year = floor_parse_digits(text, 4, &valid);
    const int month = floor_parse_digits(text + 5, 2, &valid);
    const int day = floor_parse_digits(text + 8, 2, &valid);
    const int hour = floor_parse_digits(text + 11, 2, &valid);
    const int minute = floor_parse_digits(text + 14, 2, &valid);
    const int second = floor_parse_digits(text + 17, 2, &valid);
    const int millisecond = floor_parse_digits(text + 20, 3, &valid);
    valid &= month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 23 && minute <= 59 && second <= 59;
    if (!valid) {
        return false;
    }
    const int64_t whole = floor_days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *seconds = (double)(whole * 1000 + millisecond) / 1000;
    return true;
}

static inline void floor_format_digits(char *text, int count, int value) {
    for (int i = count - 1; i >= 0; i--) {
        text[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

/// Writes FLOOR_DATE_LENGTH characters and a terminating zero.
static inline void floor_format_date(double seconds, char *text) {
    const int64_t total = llround(seconds * 1000);
    int64_t days = total / 86400000;
    int rest = (int)(total % 86400000);
    if (rest < 0) {
        rest += 86400000;
        days -= 1;
    }
    int year, month, day;
    floor_civil_from_days(days, &year, &month, &day);
    floor_format_digits(text, 4, year);
    text[4] = '-';
    floor_format_digits(text + 5, 2, month);
    text[7] = '-';
    floor_format_digits(text + 8, 2, day);
    text[10] = ' ';
    floor_format_digits(text + 11, 2, rest / 3600000);
    text[13] = ':';
    floor_format_digits(text + 14, 2, rest / 60000 % 60);
    text[16] = ':';
    floor_format_digits(text + 17, 2, rest / 1000 % 60);
    text[19] = '.';
    floor_format_digits(text + 20, 3, rest % 1000);
    text[23] = 0;
}

#endif
