/* The first process of a guest that holds nothing but ccm: no shell, no library, no other program.
 *
 * It mounts what CASE (from the kernel's command line) leaves it, applies the tarball twice, shows facts, prints how
 * each ended and powers off. The test reads the console.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static void off(void) {
    printf("== done\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
}

int main(void) {
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
    char *facts[] = {"/ccm", "facts", "host.info.os", NULL};
    char *noop[] = {"/ccm", "apply", "--noop", "/site.tar.gz", NULL};
    char *apply[] = {"/ccm", "apply", "/site.tar.gz", NULL};
    run("facts", facts);
    run("noop", noop);
    run("first", apply);
    run("second", apply);
    show("/etc/motd");
    show("/etc/app/app.conf");
    off();
    return 0;
}
