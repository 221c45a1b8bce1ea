/*
** Prints the stacks of all threads of a process that hangs.
**
** Swift's backtracer follows frame pointers, which functions of the C library don't have, so it can't unwind a waiting
** thread. Therefore each thread is interrupted, and unwinds its own stack. The toolchain's symbolizer names the
** functions, because the symbols of a test program are not in its dynamic table.
*/
#define _GNU_SOURCE
#include "CFaults.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Dispatch's threads, and all threads that they start, block nearly every signal, but not this one. */
enum { INTERRUPTION = SIGPROF };

enum { MOST_FRAMES = 100 };
static void *frames[MOST_FRAMES];
static int frame_count;
static sem_t has_looked;

/* The parent process may block it: every thread inherits that from the first one. */
__attribute__((constructor)) static void allow_interruptions(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, INTERRUPTION);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static void look(int signal) {
    (void)signal;
    int code = errno;
    frame_count = backtrace(frames, MOST_FRAMES);
    sem_post(&has_looked);
    errno = code;
}

/* Whether a thread has unwound its stack. A thread that is blocked in the kernel can't. */
static int ask(int thread) {
    if (syscall(SYS_tgkill, getpid(), thread, INTERRUPTION) != 0) return 0;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 2;
    int code;
    do code = sem_timedwait(&has_looked, &end);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

/* Prints a line for the symbolizer. The stack contains return addresses: the call is before them. */
static void print_frame(FILE *output, int index) {
    char *address = (char *)frames[index] - 1;
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) return;
    char program[4096];
    const char *file = info.dli_fname;
    if (access(file, R_OK) != 0) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        if (length > 0) program[length] = 0, file = program;
    }
    fprintf(output, "CODE \"%s\" 0x%zx\n", file, (size_t)(address - (char *)info.dli_fbase));
}

static void print_thread(FILE *output, int thread) {
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
    FILE *file = fopen(path, "r");
    if (file) {
        if (!fgets(name, sizeof name, file)) name[0] = 0;
        fclose(file);
    }
    for (char *end = name; *end; end++)
        if (*end == '\n') *end = 0;
        else if (*end == ' ') *end = '-';
    /* The symbolizer doesn't take a line of one word for an address, and prints it. */
    fprintf(output, "Thread-%d-%s:\n", thread, name);
    if (!ask(thread)) {
        fprintf(output, "(it-does-not-answer)\n");
        return;
    }
    /* The first two are the handler, and its caller. */
    for (int index = 2; index < frame_count; index++) print_frame(output, index);
}

/* The tools are next to the compiler, if they are not in the path. Addresses without a name are printed unchanged. */
static const char symbolize[] =
    "PATH=\"$PATH:$(dirname \"$(readlink -f \"$(command -v swift)\")\")\"; "
    "if command -v llvm-symbolizer >/dev/null; then llvm-symbolizer --output-style=GNU --pretty-print --no-inlines; else cat; fi | "
    "if command -v swift-demangle >/dev/null; then swift-demangle --simplified; else cat; fi >&2";

void faults_print_stacks(void) {
    void *first[1];
    backtrace(first, 1); /* This loads a library, which a signal handler must not do. */
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    sigaction(INTERRUPTION, &action, NULL);
    sem_init(&has_looked, 0, 0);
    FILE *output = popen(symbolize, "w");
    DIR *threads = opendir("/proc/self/task");
    if (!output || !threads) return;
    int self = (int)syscall(SYS_gettid);
    for (struct dirent *entry; (entry = readdir(threads));) {
        int thread = atoi(entry->d_name);
        if (thread > 0 && thread != self) print_thread(output, thread);
    }
    closedir(threads);
    pclose(output);
}
#else
void faults_print_stacks(void) {}
#endif
