// dqlite as found by pkg-config: Debian's libdqlite-dev. And the SQLite that it uses.
#ifndef ROWAN_CDQLITE_H
#define ROWAN_CDQLITE_H

#include <dqlite.h>
#include <sqlite3.h>

#endif
