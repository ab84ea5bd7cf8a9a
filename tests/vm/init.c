/* The first process of a guest that holds nothing but ccm: no shell, no library, no other program.
 *
 * It mounts what CASE (from the kernel's command line) leaves it, applies the tarball twice, shows facts, prints how
 * each ended and powers off. The test reads the console. Where there is no ccm, it is the first process of a system
 * that an initramfs with ccm has started, and tells what it finds.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void run(const char *label, char *const argv[]) {
    static char *const env[] = {"LANG=C", NULL};
    printf("== %s\n", label);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execve(argv[0], argv, env);
        perror(argv[0]);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    wait4(pid, &status, 0, &usage);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("== %s: exit %d, peak %ld KiB\n", label, code, usage.ru_maxrss);
    fflush(stdout);
}

static void show(const char *path) {
    char text[256];
    int in = open(path, O_RDONLY);
    ssize_t got = in < 0 ? -1 : read(in, text, sizeof text - 1);
    if (got >= 0) {
        text[got] = 0;
        struct stat st;
        fstat(in, &st);
        printf("== %s mode %04o: %s", path, st.st_mode & 07777, text);
        close(in);
    } else {
        printf("== %s: absent\n", path);
    }
    fflush(stdout);
}

/* A second of the year 2100, past what 32 bits count. */
#define YEAR_2100 4102444800LL

/* A session with one call in it, and the dates that its record and a file carry. */
static void later(void) {
    char *begin[] = {"/ccm", "session", "new", "--directory", "/run/s", NULL};
    char *call[] = {"/ccm", "ensure", "--session", "/run/s", "exec", "/ccm --version", NULL};
    char *report[] = {"/ccm", "session", "report", "--session", "/run/s", NULL};
    run("session new", begin);
    run("session call", call);
    run("session report", report);
    DIR *records = opendir("/run/s");
    for (struct dirent *entry; records && (entry = readdir(records));) {
        char path[300], line[300];
        snprintf(path, sizeof path, "/run/s/%s", entry->d_name);
        FILE *in = fopen(path, "r");
        while (in && fgets(line, sizeof line, in)) {
            if (strstr(line, "\"timestamp\""))
                printf("== record %s", line);
        }
    }
    struct stat st;
    if (stat("/etc/motd", &st) == 0)
        printf("== /etc/motd is of %s\n", st.st_mtime >= YEAR_2100 ? "2100" : "another time");
}

static void off(void) {
    printf("== done\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
}

int main(void) {
    if (access("/ccm", F_OK) != 0) {
        show("/etc/motd");
        printf("== /: %s\n", open("/new", O_CREAT | O_WRONLY, 0600) < 0 ? strerror(errno) : "writable");
        off();
    }
    const char *now = getenv("CASE");
    const char *test = now ? now : "plain";
    printf("== case %s\n", test);
    if (strcmp(test, "noproc") != 0) {
        mount("proc", "/proc", "proc", 0, NULL);
        mount("sysfs", "/sys", "sysfs", 0, NULL);
    }
    if (strcmp(test, "readonly") == 0) {
        mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
        mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL);
    }
    if (strncmp(test, "figures", 7) == 0) {
        char *hundred[] = {"/ccm", "apply", "/hundred.tar.gz", NULL};
        char *thousand[] = {"/ccm", "apply", "/thousand.tar.gz", NULL};
        run("hundred, new", hundred);
        run("hundred", hundred);
        run("thousand, new", thousand);
        run("thousand", thousand);
        off();
    }
    if (strcmp(test, "later") == 0) {
        struct timespec time = {.tv_sec = YEAR_2100};
        printf("== the clock is set: %d\n", clock_settime(CLOCK_REALTIME, &time));
    }
    char *facts[] = {"/ccm", "facts", "host.info.os", NULL};
    char *noop[] = {"/ccm", "apply", "--noop", "/site.tar.gz", NULL};
    char *apply[] = {"/ccm", "apply", "/site.tar.gz", NULL};
    run("facts", facts);
    run("noop", noop);
    run("first", apply);
    run("second", apply);
    show("/etc/motd");
    show("/etc/app/app.conf");
    if (strcmp(test, "later") == 0)
        later();
    off();
    return 0;
}
