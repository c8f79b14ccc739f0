/* Kill, stop or fail the N-th operation that writes below a folder; preloaded into a process (LD_PRELOAD, Linux).
 *
 * FAULT_BELOW: the folder; without it nothing happens. FAULT_COUNT: file of 8 bytes that all processes count in.
 * FAULT_LOG: file to which each operation is appended. FAULT_AT: N, from 1; 0: count alone.
 * FAULT_HOW: kill | stop (the process group), an errno (this operation fails), full:ERRNO (from here on all that takes
 * room fails), all:ERRNO (everything fails), fsync:ERRNO, link:ERRNO (these fail alone). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ROOM, NAME, SYNC, LINK }; /* what takes room on the disk; what does not; fsync; hard links */

static const char *below;
static char how[32];
static long at, *count;
static int code, log_file = -1;
static size_t below_length;

__attribute__((constructor, visibility("default"))) void fault_begin(void) {
    const char *counts = getenv("FAULT_COUNT"), *logs = getenv("FAULT_LOG"), *given = getenv("FAULT_HOW");
    below = getenv("FAULT_BELOW");
    if (!below || !counts) {
        below = NULL;
        return;
    }
    below_length = strlen(below);
    at = atol(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
    snprintf(how, sizeof how, "%s", given ? given : "");
    char *colon = strchr(how, ':');
    code = atoi(colon ? colon + 1 : how);
    if (colon)
        *colon = 0;
    int file = syscall(SYS_openat, AT_FDCWD, counts, O_RDWR | O_CLOEXEC, 0);
    count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (count == MAP_FAILED)
        abort();
    if (logs)
        log_file = syscall(SYS_openat, AT_FDCWD, logs, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
}

static int is_below(const char *path) {
    return !strncmp(path, below, below_length) && (path[below_length] == '/' || !path[below_length]);
}

/* Name the file of a path that is relative to a folder, or of a descriptor (path NULL). */
static int locate(int folder, const char *path, char *found) {
    char link[64];
    ssize_t length = 0;
    if (path && *path == '/')
        return snprintf(found, PATH_MAX, "%s", path) > 0;
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    if ((length = readlink(link, found, PATH_MAX - 1)) < 0)
        return 0;
    found[length] = 0;
    if (path)
        snprintf(found + length, PATH_MAX - length, "/%s", path);
    return 1;
}

/* Count an operation and let the fault happen; gives whether the operation is to fail. */
static int strikes(const char *name, enum kind kind, int folder, const char *path) {
    char found[PATH_MAX], line[PATH_MAX + 64];
    int before = errno;
    if (!below || !locate(folder, path, found) || !is_below(found)) {
        errno = before;
        return 0;
    }
    long number = __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    if (log_file >= 0) {
        int length = snprintf(line, sizeof line, "%s %s\n", name, found + below_length);
        syscall(SYS_write, log_file, line, (size_t)length);
    }
    errno = before;
    if (!at || number < at)
        return 0;
    if (number == at && (!strcmp(how, "kill") || !strcmp(how, "stop")))
        syscall(SYS_kill, 0, *how == 'k' ? SIGKILL : SIGSTOP);
    int fails = !strcmp(how, "all") || (!strcmp(how, "full") && kind == ROOM) || (!strcmp(how, "fsync") && kind == SYNC)
        || (!strcmp(how, "link") && kind == LINK) || (number == at && *how >= '0' && *how <= '9');
    if (fails)
        errno = code;
    return fails;
}

#define NEXT(name)                                                                                                     \
    static __typeof__(name) *real;                                                                                     \
    if (!real)                                                                                                         \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
/* A function that gives -1 where it fails: type, name, kind, folder, path, parameters, arguments. */
#define CALL(type, name, kind, folder, path, parameters, ...)                                                          \
    type name parameters {                                                                                             \
        NEXT(name);                                                                                                    \
        return strikes(#name, kind, folder, path) ? -1 : real(__VA_ARGS__);                                            \
    }
/* One that opens a file; only to write counts. */
#define OPEN(name, folder, parameters, ...)                                                                            \
    int name parameters {                                                                                              \
        NEXT(name);                                                                                                    \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = va_arg(rest, mode_t); /* rubbish, and unused, where there is none */                             \
        va_end(rest);                                                                                                  \
        int writes = flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);                                                  \
        return writes && strikes("open", ROOM, folder, path) ? -1 : real(__VA_ARGS__);                           \
    }

OPEN(open, AT_FDCWD, (const char *path, int flags, ...), path, flags, mode)
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), path, flags, mode)
OPEN(openat, folder, (int folder, const char *path, int flags, ...), folder, path, flags, mode)
OPEN(openat64, folder, (int folder, const char *path, int flags, ...), folder, path, flags, mode)
CALL(ssize_t, write, ROOM, file, NULL, (int file, const void *data, size_t size), file, data, size)
CALL(ssize_t, pwrite, ROOM, file, NULL, (int file, const void *data, size_t size, off_t place), file, data, size, place)
CALL(ssize_t, pwrite64, ROOM, file, NULL, (int file, const void *data, size_t size, off64_t at), file, data, size, at)
CALL(ssize_t, sendfile64, ROOM, file, NULL, (int file, int from, off64_t *place, size_t size), file, from, place, size)
CALL(int, ftruncate, NAME, file, NULL, (int file, off_t size), file, size)
CALL(int, ftruncate64, NAME, file, NULL, (int file, off64_t size), file, size)
CALL(int, fsync, SYNC, file, NULL, (int file), file)
CALL(int, fdatasync, SYNC, file, NULL, (int file), file)
CALL(int, mkdir, ROOM, AT_FDCWD, path, (const char *path, mode_t mode), path, mode)
CALL(int, rename, NAME, AT_FDCWD, new, (const char *old, const char *new), old, new)
CALL(int, renameat, NAME, to, new, (int from, const char *old, int to, const char *new), from, old, to, new)
CALL(int, link, LINK, AT_FDCWD, new, (const char *old, const char *new), old, new)
CALL(int, linkat, LINK, to, new, (int from, const char *old, int to, const char *new, int as), from, old, to, new, as)
CALL(int, unlink, NAME, AT_FDCWD, path, (const char *path), path)
CALL(int, unlinkat, NAME, folder, path, (int folder, const char *path, int flags), folder, path, flags)
CALL(int, rmdir, NAME, AT_FDCWD, path, (const char *path), path)
