/* trace_copy.c: the trace of memory accesses, as the user gets it. */
#include "cli/profile/sends/sends.h"
#include "engine/msg/access_file.h"

#include <errno.h>
#include <string.h>

static bool
copy(FILE *to, FILE *from)
{
    char bytes[1 << 16];
    size_t n;
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, n, to) != n)
            return false;
    return !ferror(from);
}

const char *
sends_write_trace(const char *dir, const char *file)
{
    char path[4096];
    snprintf(path, sizeof path, ACCESS_FILE_FORMAT, dir);
    FILE *from = fopen(path, "re"), *to = fopen(file, "we");
    int error = to ? 0 : errno;
    if (to &&
        (fwrite(ACCESS_FILE_MAGIC, 1, 8, to) != 8 || (from && !copy(to, from))))
        error = errno;
    if (to && fclose(to))
        error = errno;
    if (from)
        fclose(from);
    return error ? strerror(error) : NULL;
}
