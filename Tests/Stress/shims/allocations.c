// Loaded before the program: makes the Nth of SQLite's allocations fail, through SQLite's configurable allocator. Other
// allocations are unaffected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <sqlite3.h>

// The number of allocations until one fails; 0 for none.
static atomic_long remaining;
static atomic_long calls;
static atomic_bool isSticky;
static sqlite3_mem_methods system_methods;

/// Makes the Nth allocation from now fail, and all later ones too if sticky. 0 disarms but keeps the count.
void stress_allocations_arm(long number, int sticky) {
    isSticky = sticky != 0;
    if (number != 0) calls = 0;
    remaining = number;
}

/// The number of allocations since the shim was armed.
long stress_allocations_calls(void) { return calls; }

static int fails(void) {
    atomic_fetch_add(&calls, 1);
    long number = atomic_load(&remaining);
    if (number == 0) return 0;
    if (number > 1) {
        atomic_store(&remaining, number - 1);
        return 0;
    }
    if (!isSticky) atomic_store(&remaining, 0);
    return 1;
}

static void *allocate(int size) { return fails() ? 0 : system_methods.xMalloc(size); }
static void *reallocate(void *memory, int size) { return fails() ? 0 : system_methods.xRealloc(memory, size); }

__attribute__((constructor)) static void install(void) {
    int (*config)(int, ...) = (int (*)(int, ...))dlsym(RTLD_DEFAULT, "sqlite3_config");
    if (config == 0 || config(SQLITE_CONFIG_GETMALLOC, &system_methods) != SQLITE_OK) return;
    sqlite3_mem_methods methods = system_methods;
    methods.xMalloc = allocate;
    methods.xRealloc = reallocate;
    config(SQLITE_CONFIG_MALLOC, &methods);
}
