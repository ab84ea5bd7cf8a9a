/* The least that any program must do to bring files to a state: no language, no report.
 *
 * Reads a list of wanted files, one a line: path, octal mode, numeric owner, numeric group and
 * the content (a line end as \n), between tabs. A file that differs is written beside its place and renamed into it.
 *
 *   floor            print a line and end: what starting a process costs
 *   floor LIST       bring every file of the list to its state
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *slurp(const char *path, size_t *length) {
    int in = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (in < 0) return NULL;
    if (fstat(in, &st) != 0) { close(in); return NULL; }
    char *data = malloc((size_t)st.st_size + 1);
    ssize_t got = data ? read(in, data, (size_t)st.st_size + 1) : -1;
    close(in);
    if (got < 0) { free(data); return NULL; }
    *length = (size_t)got;
    return data;
}

static int holds(const char *path, const struct stat *st, const char *want, size_t length) {
    if ((size_t)st->st_size != length) return 0;
    size_t got = 0;
    char *data = slurp(path, &got);
    int same = data && got == length && memcmp(data, want, length) == 0;
    free(data);
    return same;
}

static int put(const char *path, mode_t mode, uid_t uid, gid_t gid, const char *want, size_t length) {
    char beside[4096];
    if ((size_t)snprintf(beside, sizeof beside, "%s.new", path) >= sizeof beside) return -1;
    int out = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0) return -1;
    int ok = write(out, want, length) == (ssize_t)length && fchown(out, uid, gid) == 0 && fchmod(out, mode) == 0;
    close(out);
    if (ok && rename(beside, path) == 0) return 0;
    unlink(beside);
    return -1;
}

int main(int argc, char **argv) {
    if (argc < 2) { puts("floor"); return 0; }
    size_t size = 0, total = 0, changed = 0;
    char *list = slurp(argv[1], &size);
    if (!list) { perror(argv[1]); return 1; }
    char *end = list + size, *line = list;
    while (line < end) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline) break;
        *newline = 0;
        char *rest = line, *path = strsep(&rest, "\t"), *mode = strsep(&rest, "\t");
        char *uid = strsep(&rest, "\t"), *gid = strsep(&rest, "\t"), *want = rest;
        if (!want) return 1;
        /* Content stands in the list itself: \n for a line end, as a config file has no other control characters. */
        char *to = want;
        for (char *from = want; *from; from++) {
            if (from[0] == '\\' && from[1] == 'n') { *to++ = '\n'; from++; } else *to++ = *from;
        }
        size_t length = (size_t)(to - want);
        mode_t bits = (mode_t)strtoul(mode, NULL, 8);
        uid_t user = (uid_t)strtoul(uid, NULL, 10);
        gid_t group = (gid_t)strtoul(gid, NULL, 10);
        struct stat st;
        total++;
        int same = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 07777) == bits && st.st_uid == user &&
                   st.st_gid == group && holds(path, &st, want, length);
        if (!same) {
            if (put(path, bits, user, group, want, length) != 0) { perror(path); return 1; }
            changed++;
        }
        line = newline + 1;
    }
    printf("%zu files, %zu changed\n", total, changed);
    return 0;
}
