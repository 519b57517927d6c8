#pragma once

#include <sqlite3.h>

// Macros that are casts of pointers, which Swift does not import. The bytes of a static value are
// lent until the statement is reset; those of a transient one are copied.
static inline int coordd_bind_static(sqlite3_stmt *statement, int place, const void *text, int count) {
    return sqlite3_bind_text(statement, place, text, count, SQLITE_STATIC);
}
static inline int coordd_bind_transient(sqlite3_stmt *statement, int place, const void *text, int count) {
    return sqlite3_bind_text(statement, place, text, count, SQLITE_TRANSIENT);
}
