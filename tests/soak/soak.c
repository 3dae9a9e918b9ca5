#include "soak.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static unsigned
count_entries(const char *path)
{
    DIR *d = opendir(path);
    unsigned n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static long
resident_KiB(void)
{
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static unsigned
count_maps(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned n = 0;
    for (int c; f && (c = getc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* when: before, middle, after. */
static void
print_figures(const char *when)
{
    printf("%s rss_KiB=%ld descriptors=%u threads=%u maps=%u\n", when,
           resident_KiB(), count_entries("/proc/self/fd"),
           count_entries("/proc/self/task"), count_maps());
    fflush(stdout);
}

/* At most once a second. */
static void
print_progress(unsigned done, unsigned steps)
{
    static time_t last;
    time_t now = time(NULL);
    if (now == last)
        return;
    last = now;
    printf("done %u of %u\n", done, steps);
    fflush(stdout);
}

/* Caches and free lists are full after this many steps. */
static unsigned
warm_up(unsigned count)
{
    return count < 2000 ? count / 2 : 1000 + count / 100;
}

bool
soak_run(unsigned count, bool (*step)(unsigned i), void (*end)(void))
{
    unsigned warm = warm_up(count);
    bool good = true;
    for (unsigned i = 0; i < warm + count && good; i++) {
        if (i == warm || i == warm + count / 2)
            print_figures(i == warm ? "before" : "middle");
        good = step(i);
        if (!good)
            printf("failed: step %u\n", i);
        print_progress(i, warm + count);
    }
    end();
    print_figures("after");
    return good;
}
