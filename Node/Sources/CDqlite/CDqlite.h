// dqlite as found by pkg-config: Debian's libdqlite-dev.
#ifndef ROWAN_CDQLITE_H
#define ROWAN_CDQLITE_H

#include <dqlite.h>

#endif
