// The floor of the dumps: the sqlite3 shell as a separate process.
#include "floor.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int floor_run_shell(const char *path, const char *first, const char *second, const char *third) {
    char *const arguments[] = {"sqlite3", (char *)path, (char *)first, (char *)second, (char *)third, 0};
    pid_t process;
    if (posix_spawnp(&process, "sqlite3", 0, 0, arguments, environ) != 0) {
        return SQLITE_CANTOPEN;
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) {
            return SQLITE_ERROR;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SQLITE_OK : SQLITE_ERROR;
}
