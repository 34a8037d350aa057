// The end of a process whose storage fails.
#ifndef ROWAN_CSTORAGE_H
#define ROWAN_CSTORAGE_H

/// From now on, the process exits when a file can't be written. See storage.c.
void storage_end_on_failure(void);

#endif
