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

// With variable arguments, which Swift does not import. A log stays beside its database when this
// connection closes.
static inline int coordd_keep_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
