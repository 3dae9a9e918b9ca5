/* disasm.c: `softlake disasm [--gen 8|9] FILE`, a raw kernel as text. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "eu/isa/isa.h"

static const char usage[] =
    "usage: softlake disasm [--gen 8|9] FILE\n"
    "Prints the EU instructions of a raw kernel, one per line with its byte\n"
    "offset. FILE may be - for standard input.\n";

/* The whole file, at most 64 MiB; NULL with a message otherwise. */
static uint8_t *
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

/* False if something was no instruction. */
static bool
print_kernel(const uint8_t *code, size_t size_B, enum eu_gen gen)
{
    bool all = true;
    for (size_t offset_B = 0; offset_B < size_B;) {
        struct eu_insn insn;
        const char *why = NULL;
        unsigned length_B = eu_decode(&insn, code + offset_B, size_B - offset_B,
                                      gen, &why);
        printf("[%04zx] ", offset_B);
        if (length_B) {
            char text[512];
            eu_disasm(text, sizeof text, &insn, gen);
            printf("%s\n", text);
        } else {
            /* Instructions start at multiples of eight bytes. */
            printf("        (illegal: %s)\n", why);
            length_B = 8;
            all = false;
        }
        offset_B += length_B;
    }
    return all;
}

int
cli_disasm(int argc, char **argv)
{
    static const struct option options[] = {
        {"gen", required_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    enum eu_gen gen = EU_GEN9;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (option != 'g' || (strcmp(optarg, "8") && strcmp(optarg, "9"))) {
            fputs(usage, stderr);
            return 2;
        }
        gen = optarg[0] == '8' ? EU_GEN8 : EU_GEN9;
    }
    if (optind + 1 != argc) {
        fputs(usage, stderr);
        return 2;
    }

    size_t size_B;
    uint8_t *code = read_file(argv[optind], &size_B);
    if (!code)
        return 1;
    bool all = print_kernel(code, size_B, gen);
    free(code);
    return all ? 0 : 1;
}
