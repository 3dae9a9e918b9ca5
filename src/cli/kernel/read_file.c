/* read_file.c: reads files as bytes. */
#include "cli/kernel/read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *
read_file(const char *path, size_t *size_B)
{
    const size_t limit_B = 64u << 20;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    uint8_t *data = NULL;
    size_t used = 0, room = 0;
    if (!file) {
        fprintf(stderr, "softlake: ");
        perror(path);
        return NULL;
    }
    do {
        if (used == room) {
            room = room ? room * 2 : 64 << 10;
            uint8_t *grown = realloc(data, room);
            if (!grown)
                break;
            data = grown;
        }
        used += fread(data + used, 1, room - used, file);
    } while (used <= limit_B && !feof(file) && !ferror(file));

    if (used > limit_B || !data || !feof(file)) {
        fprintf(stderr, "softlake: %s: cannot be read whole\n", path);
        free(data);
        data = NULL;
    }
    if (file != stdin)
        fclose(file);
    *size_B = used;
    return data;
}
