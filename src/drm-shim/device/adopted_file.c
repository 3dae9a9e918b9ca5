#include "drm-shim/device/adopted_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

struct seen {
    ino_t ino;
    bool found;
};

/* The adopted files; NULL: none, or out of memory. */
static struct seen *
list_adopted(unsigned *count)
{
    unsigned n = 0;
    struct seen *list = NULL;
    device_lock();
    for (struct drm_file *f = device_first_file(); f; f = f->next)
        n += f->peer < 0;
    if (n)
        list = calloc(n, sizeof *list);
    *count = 0;
    for (struct drm_file *f = device_first_file(); f && list; f = f->next)
        if (f->peer < 0)
            list[(*count)++].ino = f->ino;
    device_unlock();
    return list;
}

static void
note_descriptor(struct seen *list, unsigned count, int dir, const char *name)
{
    char link[64];
    unsigned long long ino;
    ssize_t n = syscall_readlinkat(dir, name, link, sizeof link - 1);
    if (n <= 0)
        return;
    link[n] = 0;
    if (sscanf(link, "socket:[%llu]", &ino) != 1)
        return;
    for (unsigned i = 0; i < count; i++)
        if (list[i].ino == ino)
            list[i].found = true;
}

static bool
find_descriptors(struct seen *list, unsigned count)
{
    int fd = syscall_openat(AT_FDCWD, "/proc/self/fd",
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while ((e = readdir(d)))
        note_descriptor(list, count, fd, e->d_name);
    closedir(d);
    return true;
}

static void
count_misses(const struct seen *list, unsigned count)
{
    device_lock();
    for (struct drm_file *f = device_first_file(); f; f = f->next)
        for (unsigned i = 0; i < count && f->peer < 0; i++)
            if (list[i].ino == f->ino)
                f->missed = list[i].found ? 0 : f->missed + 1;
    device_unlock();
}

void
adopted_file_scan(void)
{
    unsigned count;
    struct seen *list = list_adopted(&count);
    if (list && find_descriptors(list, count))
        count_misses(list, count);
    free(list);
}

bool
adopted_file_is_closed(const struct drm_file *file)
{
    return file->missed >= 2;
}
