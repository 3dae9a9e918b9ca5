/* replay.c: main() of a fuzz target without libFuzzer: runs the given files,
 * and those in the given directories, once each. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MAX_B (1u << 20)

static unsigned
replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(MAX_B);
    unsigned done = 0;
    if (f && data) {
        size_t size_B = fread(data, 1, MAX_B, f);
        /* Exactly as large, so that reading beyond the end is noticed. */
        uint8_t *exact = malloc(size_B ? size_B : 1);
        for (size_t i = 0; exact && i < size_B; i++)
            exact[i] = data[i];
        if (exact && !ferror(f)) {
            LLVMFuzzerTestOneInput(exact, size_B);
            done = 1;
        }
        free(exact);
    }
    free(data);
    if (f)
        fclose(f);
    return done;
}

static unsigned
replay(const char *path)
{
    DIR *dir = opendir(path);
    unsigned done = 0;
    if (!dir)
        return replay_file(path);
    for (struct dirent *e; (e = readdir(dir));) {
        char file[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        done += replay_file(file);
    }
    closedir(dir);
    return done;
}

int
main(int argc, char **argv)
{
    unsigned done = 0;
    for (int i = 1; i < argc; i++)
        done += replay(argv[i]);
    fprintf(stderr, "%u inputs replayed\n", done);
    return done ? 0 : 1;
}
