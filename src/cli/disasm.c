/* disasm.c: `softlake disasm FILE`, kernels as text. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"

static const char usage[] =
    "usage: softlake disasm [--gen 8|9] [--kernel NAME] FILE\n"
    "Prints EU instructions, one per line with its byte offset. FILE is a raw\n"
    "kernel or what ocloc writes (all kernels, or the one named), or - for\n"
    "standard input. --gen is for raw kernels.\n";

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

static bool
print_program(const struct program *program, const char *name)
{
    bool found = false, all = true;
    for (unsigned i = 0; i < program->kernel_count; i++) {
        const struct program_kernel *k = &program->kernels[i];
        if (name && strcmp(k->name, name))
            continue;
        if (!program->raw)
            printf("%s// kernel %s\n", found ? "\n" : "", k->name);
        found = true;
        all &= print_kernel(k->code, k->code_B, program->gen);
    }
    if (!found)
        fprintf(stderr, "softlake: no kernel %s\n", name);
    return found && all;
}

int
cli_disasm(int argc, char **argv)
{
    static const struct option options[] = {
        {"gen", required_argument, NULL, 'g'},
        {"kernel", required_argument, NULL, 'k'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    enum eu_gen gen = EU_GEN9;
    const char *name = NULL;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (option == 'k') {
            name = optarg;
            continue;
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
    uint8_t *data = cli_read_file(argv[optind], &size_B);
    if (!data)
        return 1;
    struct program program;
    const char *why;
    bool all = program_read(&program, data, size_B, gen, &why);
    if (!all) {
        fprintf(stderr, "softlake: %s: %s\n", argv[optind], why);
    } else {
        all = print_program(&program, name);
        program_free(&program);
    }
    free(data);
    return all ? 0 : 1;
}
