/* cmd_disasm.c: `softlake disasm`: prints kernels as text. */
#include "cli/kernel/kernel.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kernel/disasm_cycles.h"
#include "cli/kernel/program.h"
#include "cli/kernel/read_file.h"

static const char usage[] =
    "usage: softlake disasm [OPTION]... FILE...\n"
    "Prints EU instructions as Intel's iga64 does, one per line after its\n"
    "byte offset. FILE is a raw kernel, a file from ocloc (all kernels, or\n"
    "the one named), or - for standard input.\n"
    "\n"
    "  -g, --gen=8|9         of raw kernels (default 9)\n"
    "  -p, --platform=NAME   the generation by name: bdw, skl, kbl, bxt, glk, "
    "cfl\n"
    "  -k, --kernel=NAME     only this one\n"
    "  -n, --numeric-labels  branch targets as distances instead of labels\n"
    "  -x, --hex             the instruction's dwords, too\n"
    "  -c, --check           the rule that an instruction breaks\n"
    "  -v, --verbose         fields that iga64's syntax omits: swizzles of\n"
    "                        Align16, all fields of messages\n"
    "      --cycles[=A|B]    clocks that each instruction takes by the cycle "
    "model\n"
    "                        of softlake-profile(1), and their sum\n"
    "      --objdump         addresses and code as objdump prints them, for\n"
    "                        KCachegrind\n"
    "      --start=N, --stop=N  with --objdump: from N on, up to N\n"
    "  -o, --output=FILE     write there instead of to standard output\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0 all code is instructions (with --check, legal ones); 1 it\n"
    "is not, or a file could not be read; 2 the command line is wrong.\n";

struct listing {
    enum eu_gen gen;
    const char *kernel; /* NULL: all */
    bool numeric, hex, check, verbose;
    bool objdump, cycles;
    enum cycles_table table; /* of cycles */
    size_t start_B, stop_B;  /* with objdump */
    FILE *out;
};

/* The length of an invalid instruction, from its bit 29 (compact). */
static unsigned
skipped_B(const uint8_t *code, size_t avail_B)
{
    return avail_B < 16 || code[3] & 0x20 ? 8 : 16;
}

static void
print_label(const struct listing *l, const bool *labels, size_t offset_B)
{
    if (labels && labels[offset_B / 8] && !l->numeric)
        fprintf(l->out, "L%zu:\n", offset_B);
}

static void
print_hex(FILE *out, const uint8_t *bytes, unsigned length_B)
{
    for (unsigned i = 0; i < 16; i += 4) {
        if (i < length_B) {
            uint32_t dw;
            memcpy(&dw, bytes + i, 4);
            fprintf(out, "%08x ", dw);
        } else {
            fprintf(out, "%9s", "");
        }
    }
    fprintf(out, " ");
}

/* Marks the places where iga64 writes labels: at targets, and after
 * instructions that end a block. One flag per eight bytes, the alignment of
 * instructions. */
static bool *
find_labels(const struct listing *l, const uint8_t *code, size_t size_B)
{
    bool *labels = calloc(size_B / 8 + 2, sizeof *labels);
    if (labels)
        labels[0] = true;
    for (size_t offset_B = 0; labels && offset_B < size_B;) {
        struct eu_insn insn;
        size_t avail_B = size_B - offset_B;
        unsigned length_B = eu_decode(&insn, code + offset_B, avail_B, l->gen,
                                      NULL);
        int64_t targets_B[2] = {0};
        insn.offset_B = (uint32_t)offset_B;
        unsigned count = length_B ? eu_targets(&insn, l->gen, targets_B) : 0;
        for (unsigned i = 0; i < count; i++)
            if (targets_B[i] >= 0 && (uint64_t)targets_B[i] <= size_B)
                labels[targets_B[i] / 8] = true;
        if (length_B && eu_ends_block(&insn, l->gen))
            labels[(offset_B + length_B) / 8] = true;
        offset_B += length_B ? length_B : skipped_B(code + offset_B, avail_B);
    }
    return labels;
}

/* Returns false if the instruction breaks a rule and --check is given. */
static bool
print_instruction(const struct listing *l, const struct eu_insn *insn)
{
    char text[512];
    bool fine = true;
    if (l->numeric)
        eu_disasm(text, sizeof text, insn, l->gen);
    else
        eu_disasm_labels(text, sizeof text, insn, l->gen);
    fprintf(l->out, "%s", text);
    if (l->verbose) {
        eu_disasm_details(text, sizeof text, insn, l->gen);
        if (text[0])
            fprintf(l->out, " // %s", text);
    }
    if (l->check) {
        const char *rule = eu_validate(insn, l->gen);
        if (rule)
            fprintf(l->out, " // refused: %s", rule);
        fine = !rule;
    }
    fprintf(l->out, "\n");
    return fine;
}

/* As objdump: address, bytes in groups, mnemonic and operands, of which
 * KCachegrind shows 50 characters: spaces that align columns are left out. */
static void
print_objdump(const struct listing *l, const uint8_t *code,
              const struct eu_insn *insn, unsigned length_B)
{
    char text[512] = "(illegal)";
    if (insn)
        eu_disasm_labels(text, sizeof text, insn, l->gen);
    for (unsigned i = 0; i < length_B; i += 4) {
        uint32_t dw;
        memcpy(&dw, code + i, 4);
        fprintf(l->out, "%08x ", dw);
    }
    putc('\t', l->out);
    for (const char *c = text + strspn(text, " "); *c; c++)
        if (*c != ' ' || c[1] != ' ')
            putc(*c, l->out);
    putc('\n', l->out);
}

static bool
print_objdump_kernel(const struct listing *l, const uint8_t *code,
                     size_t size_B)
{
    for (size_t offset_B = 0; offset_B < size_B;) {
        struct eu_insn insn;
        size_t avail_B = size_B - offset_B;
        unsigned length_B = eu_decode(&insn, code + offset_B, avail_B, l->gen,
                                      NULL);
        unsigned step_B = length_B ? length_B
                                   : skipped_B(code + offset_B, avail_B);
        insn.offset_B = (uint32_t)offset_B;
        if (offset_B >= l->start_B && offset_B < l->stop_B) {
            fprintf(l->out, "%8zx:\t", offset_B);
            print_objdump(l, code + offset_B, length_B ? &insn : NULL,
                          (unsigned)MIN2(step_B, avail_B & ~(size_t)3));
        }
        offset_B += step_B;
    }
    return true;
}

/* Returns false if part of the kernel is no instruction, or breaks a rule. */
static bool
print_kernel(const struct listing *l, const uint8_t *code, size_t size_B)
{
    bool all = true;
    bool *labels = find_labels(l, code, size_B);
    for (size_t offset_B = 0; offset_B < size_B;) {
        struct eu_insn insn;
        const char *why = NULL;
        size_t avail_B = size_B - offset_B;
        unsigned length_B = eu_decode(&insn, code + offset_B, avail_B, l->gen,
                                      &why);
        unsigned step_B = length_B ? length_B
                                   : skipped_B(code + offset_B, avail_B);
        insn.offset_B = (uint32_t)offset_B;
        print_label(l, labels, offset_B);
        fprintf(l->out, "[%04zx] ", offset_B);
        if (l->hex)
            print_hex(l->out, code + offset_B,
                      (unsigned)MIN2(step_B, avail_B & ~(size_t)3));
        if (length_B) {
            all = print_instruction(l, &insn) && all;
        } else {
            fprintf(l->out, "        (illegal: %s)\n", why);
            all = false;
        }
        offset_B += step_B;
    }
    if (size_B % 8 == 0)
        print_label(l, labels, size_B);
    free(labels);
    return all;
}

static bool
print_program(const struct listing *l, const struct program *program)
{
    struct listing listing = *l;
    bool found = false, all = true;
    listing.gen = program->gen;
    for (unsigned i = 0; i < program->kernel_count; i++) {
        const struct program_kernel *k = &program->kernels[i];
        if (l->kernel && strcmp(k->name, l->kernel))
            continue;
        if (!program->raw && !l->objdump)
            fprintf(l->out, "%s// kernel %s\n", found ? "\n" : "", k->name);
        found = true;
        if (l->cycles)
            all &= disasm_print_cycles(l->out, k->code, k->code_B, listing.gen,
                                       l->table);
        else
            all &= (l->objdump ? print_objdump_kernel
                               : print_kernel)(&listing, k->code, k->code_B);
    }
    if (!found)
        fprintf(stderr, "softlake: no kernel %s\n", l->kernel);
    return found && all;
}

static bool
print_file(const struct listing *l, const char *path)
{
    size_t size_B;
    uint8_t *data = read_file(path, &size_B);
    if (!data)
        return false;
    struct program program;
    const char *why;
    bool all = program_read(&program, data, size_B, l->gen, &why);
    if (!all) {
        fprintf(stderr, "softlake: %s: %s\n", path, why);
    } else {
        all = print_program(l, &program);
        program_free(&program);
    }
    free(data);
    return all;
}

static bool
parse_platform(const char *name, enum eu_gen *gen)
{
    static const struct {
        const char *name;
        enum eu_gen gen;
    } names[] = {
        {"8", EU_GEN8},   {"gen8", EU_GEN8}, {"bdw", EU_GEN8},
        {"9", EU_GEN9},   {"gen9", EU_GEN9}, {"skl", EU_GEN9},
        {"kbl", EU_GEN9}, {"bxt", EU_GEN9},  {"glk", EU_GEN9},
        {"cfl", EU_GEN9},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (!strcmp(name, names[i].name)) {
            *gen = names[i].gen;
            return true;
        }
    }
    return false;
}

enum { OPT_OBJDUMP = 256, OPT_START, OPT_STOP, OPT_CYCLES };

/* Returns the exit status, or -1 to go on. */
static int
parse_options(struct listing *l, int argc, char **argv)
{
    static const struct option options[] = {
        {"gen", required_argument, NULL, 'g'},
        {"platform", required_argument, NULL, 'p'},
        {"kernel", required_argument, NULL, 'k'},
        {"numeric-labels", no_argument, NULL, 'n'},
        {"hex", no_argument, NULL, 'x'},
        {"check", no_argument, NULL, 'c'},
        {"verbose", no_argument, NULL, 'v'},
        {"cycles", optional_argument, NULL, OPT_CYCLES},
        {"objdump", no_argument, NULL, OPT_OBJDUMP},
        {"start", required_argument, NULL, OPT_START},
        {"stop", required_argument, NULL, OPT_STOP},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *output = NULL;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "g:p:k:nxcvo:h", options, NULL)) !=
           -1) {
        switch (option) {
        case 'g':
        case 'p':
            if (parse_platform(optarg, &l->gen))
                break;
            fprintf(stderr, "softlake: no such platform: %s\n", optarg);
            return 2;
        case 'k': l->kernel = optarg; break;
        case 'n': l->numeric = true; break;
        case 'x': l->hex = true; break;
        case 'c': l->check = true; break;
        case 'v': l->verbose = true; break;
        case OPT_CYCLES:
            l->cycles = true;
            if (cycles_parse_table(optarg ? optarg : "A", &l->table))
                break;
            fprintf(stderr, "softlake: --cycles wants A or B, not %s\n",
                    optarg);
            return 2;
        case OPT_OBJDUMP: l->objdump = true; break;
        case OPT_START: l->start_B = strtoul(optarg, NULL, 0); break;
        case OPT_STOP: l->stop_B = strtoul(optarg, NULL, 0); break;
        case 'o': output = optarg; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    }
    if (optind == argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (output && !(l->out = fopen(output, "w"))) {
        fprintf(stderr, "softlake: ");
        perror(output);
        return 1;
    }
    return -1;
}

int
cli_disasm(int argc, char **argv)
{
    struct listing l = {.gen = EU_GEN9, .stop_B = SIZE_MAX, .out = stdout};
    int status = parse_options(&l, argc, argv);
    if (status >= 0)
        return status;
    bool all = true;
    for (int i = optind; i < argc; i++) {
        if (optind + 1 < argc)
            fprintf(l.out, "%s%s:\n", i == optind ? "" : "\n", argv[i]);
        all &= print_file(&l, argv[i]);
    }
    if (fflush(l.out) || ferror(l.out))
        all = false;
    if (l.out != stdout)
        fclose(l.out);
    return all ? 0 : 1;
}
