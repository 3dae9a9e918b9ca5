/* vectors.c: reads vector files. */
#include "vectors.h"

#include <stdarg.h>
#include <stdlib.h>

#define GARBAGE 0x5eed0000u

static _Noreturn void
refuse(const struct vector_file *f, const char *why)
{
    fprintf(stderr, "%s:%u: %s: %s\n", f->path, f->line_number, why, f->line);
    exit(2);
}

/* The next line that is no comment, without newline; kept until `ahead` is
 * cleared. */
static bool
peek(struct vector_file *f)
{
    while (!f->ahead) {
        if (!fgets(f->line, sizeof f->line, f->file))
            return false;
        f->line_number++;
        f->line[strcspn(f->line, "\n")] = '\0';
        f->ahead = f->line[0] && f->line[0] != '#';
    }
    return true;
}

static unsigned
size_of_letter(const struct vector_file *f, char letter)
{
    switch (letter) {
    case 'b': return 1;
    case 'w': return 2;
    case 'd': return 4;
    case 'q': return 8;
    default: refuse(f, "no such element size");
    }
}

/* "ulp=1", "rel=0x1p-21", "abs=8e-4" after the register's name. */
static void
read_bound(struct vector_file *f, struct vector_reg *r, char **save)
{
    static const char names[][5] = {"", "ulp=", "rel=", "abs="};
    char *start = *save + strspn(*save, " ");
    for (unsigned i = 1; i < ARRAY_SIZE(names); i++) {
        if (strncmp(start, names[i], 4))
            continue;
        r->bound = (uint8_t)i;
        r->limit = strtod(start + 4, save);
    }
}

static void
read_values(struct vector_file *f, struct vector_reg *r, char *save)
{
    unsigned n = 0, count = EU_GRF_B / r->size_B;
    for (char *word; (word = strtok_r(NULL, " ", &save));) {
        unsigned repeat = 1;
        if (n >= count)
            refuse(f, "more elements than the register has");
        if (word[0] == '.') {
            repeat = word[1] ? (unsigned)atoi(word + 1) : 1;
        } else if (!strcmp(word, "nan")) {
            r->want[n] = WANT_NAN;
        } else if (!strcmp(word, "?")) {
            r->want[n] = WANT_ANY;
        } else {
            char *end;
            r->want[n] = WANT_BITS;
            r->bits[n] = strtoull(word, &end, 16);
            if (*end || strlen(word) != r->size_B * 2u)
                refuse(f, "not an element of this size");
        }
        n += repeat;
    }
    if (n > count)
        refuse(f, "more elements than the register has");
}

/* "r10:d 00000001 nan ? .3" */
static void
read_reg(struct vector_file *f, struct vector_reg *r)
{
    char *save;
    memset(r, 0, sizeof *r);
    char *name = strtok_r(f->line, " ", &save);
    char *colon = strchr(name, ':');
    int reg = atoi(name + 1);
    if (!colon || reg < 0 || reg >= EU_GRF_COUNT)
        refuse(f, "not a register");
    r->reg = (uint8_t)reg;
    r->size_B = (uint8_t)size_of_letter(f, colon[1]);
    read_bound(f, r, &save);
    read_values(f, r, save);
}

static void
read_words16(struct vector_file *f, uint16_t words[16])
{
    char *at = f->line + 2;
    for (unsigned i = 0; i < 16; i++)
        words[i] = (uint16_t)strtoul(at, &at, 16);
}

/* "f 0000ffff 00000000/ffff0000": value / bits that matter. */
static void
read_flags(struct vector_file *f, uint32_t value[2], uint32_t care[2])
{
    char *at = f->line + 2;
    for (unsigned i = 0; i < 2; i++) {
        value[i] = (uint32_t)strtoul(at, &at, 16);
        care[i] = UINT32_MAX;
        if (*at == '/')
            care[i] = (uint32_t)strtoul(at + 1, &at, 16);
    }
    if (*at)
        refuse(f, "not two flag registers");
}

static void
start_group(struct vector_file *f)
{
    struct vector_inputs *in = &f->inputs;
    snprintf(in->name, sizeof in->name, "%.200s", f->line + 2);
    in->cr0 = 0;
    in->dispatch = UINT32_MAX;
    memset(in->f, 0, sizeof in->f);
    memset(in->a0, 0, sizeof in->a0);
    for (uint32_t n = 0; n < sizeof in->grf / 4; n++) {
        uint32_t v = GARBAGE + n;
        memcpy(in->grf + n * 4, &v, 4);
    }
    f->group++;
}

static void
read_input(struct vector_file *f)
{
    struct vector_inputs *in = &f->inputs;
    uint32_t care[2];
    struct vector_reg r;
    if (!strncmp(f->line, "= ", 2)) {
        start_group(f);
    } else if (!strncmp(f->line, "gen ", 4)) {
        in->gen = atoi(f->line + 4) == 8 ? EU_GEN8 : EU_GEN9;
    } else if (!strncmp(f->line, "cr0 ", 4)) {
        in->cr0 = (uint32_t)strtoul(f->line + 4, NULL, 16);
    } else if (!strncmp(f->line, "dispatch ", 9)) {
        in->dispatch = (uint32_t)strtoul(f->line + 9, NULL, 16);
    } else if (!strncmp(f->line, "f ", 2)) {
        read_flags(f, in->f, care);
    } else if (!strncmp(f->line, "a0 ", 3)) {
        f->line[1] = ' ';
        read_words16(f, in->a0);
    } else if (f->line[0] == 'r') {
        read_reg(f, &r);
        for (unsigned i = 0; i < EU_GRF_B / r.size_B; i++)
            if (r.want[i] == WANT_BITS)
                memcpy(in->grf + r.reg * EU_GRF_B + i * r.size_B, &r.bits[i],
                       r.size_B);
    } else {
        refuse(f, "not an input");
    }
    f->ahead = false;
}

/* "> 32 hex digits, memory order; text" */
static void
read_insn(struct vector_file *f, struct vector *v)
{
    if (v->insn_count == VECTOR_MAX_WORDS)
        refuse(f, "too many instructions");
    unsigned n = v->insn_count++;
    uint8_t bytes[16];
    for (unsigned i = 0; i < 16; i++) {
        unsigned byte;
        if (sscanf(f->line + 2 + i * 2, "%2x", &byte) != 1)
            refuse(f, "not an instruction");
        bytes[i] = (uint8_t)byte;
    }
    memcpy(v->words[n], bytes, 16);
    if (strlen(f->line) < 35)
        refuse(f, "no text");
    snprintf(v->text[n], VECTOR_TEXT_MAX, "%.250s", f->line + 35);
    f->ahead = false;
}

static bool
read_expectation(struct vector_file *f, struct vector *v)
{
    if (!strncmp(f->line, "f ", 2)) {
        read_flags(f, v->f, v->f_care);
    } else if (!strncmp(f->line, "a0 ", 3)) {
        f->line[1] = ' ';
        read_words16(f, v->a0);
    } else if (!strcmp(f->line, "fails")) {
        v->fails = true;
    } else if (f->line[0] == 'r') {
        if (v->reg_count == ARRAY_SIZE(v->regs))
            refuse(f, "too many registers");
        read_reg(f, &v->regs[v->reg_count++]);
    } else {
        return false;
    }
    f->ahead = false;
    return true;
}

bool
vector_open(struct vector_file *f, const char *path)
{
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s", path);
    f->inputs.gen = EU_GEN9;
    f->file = fopen(path, "r");
    return f->file;
}

bool
vector_next(struct vector_file *f, struct vector *v)
{
    while (peek(f) && f->line[0] != '>')
        read_input(f);
    if (!f->ahead) {
        fclose(f->file);
        f->file = NULL;
        return false;
    }
    memset(v, 0, sizeof *v);
    v->line = f->line_number;
    memcpy(v->f, f->inputs.f, sizeof v->f);
    memset(v->f_care, 0xff, sizeof v->f_care);
    memcpy(v->a0, f->inputs.a0, sizeof v->a0);
    while (peek(f) && f->line[0] == '>')
        read_insn(f, v);
    while (peek(f) && f->line[0] != '>' && read_expectation(f, v))
        ;
    return true;
}
