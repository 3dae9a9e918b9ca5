/* sweep_block.c: uniform and storage blocks: random members, arrays, matrices
 * of both majors and structures. This program lays them out by the rules of the
 * specification. A shader reads every component from a block of known words
 * and, for storage, writes it to another block with the same layout. */
#include "sweep.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NODES 64
#define MAX_LEAVES 4000
#define SOURCE_B (1u << 18)
#define BLOCK_B 16384

struct node {
    char base; /* f, i, u, d, or s: structure */
    unsigned columns, rows;
    bool row_major;
    unsigned lengths[2]; /* 0: no array */
    unsigned first, count;
};

struct leaf {
    char path[80];
    char base;
    unsigned offset_B;
};

static struct node nodes[MAX_NODES];
static unsigned node_count;
static struct leaf leaves[MAX_LEAVES];
static unsigned leaf_count;

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void
say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= t->left)
        gl_die("block", "the shader is too long");
    t->at += n;
    t->left -= (size_t)n;
}

/* ---- random blocks ---- */

static void
random_members(unsigned first, unsigned count, unsigned depth)
{
    for (unsigned i = first; i < first + count; i++) {
        struct node *n = &nodes[i];
        *n = (struct node){.base = "ffiud"[sweep_random(5)], .columns = 1};
        n->rows = 1 + sweep_random(4);
        n->row_major = sweep_random(2);
        if ((n->base == 'f' || n->base == 'd') && sweep_random(3) == 0) {
            n->columns = 2 + sweep_random(3);
            n->rows = 2 + sweep_random(3);
        }
        for (unsigned d = 0; d < 2 && sweep_random(3) == 0; d++)
            n->lengths[d] = 1 + sweep_random(3);
        unsigned inner = 1 + sweep_random(4);
        if (depth && sweep_random(3) == 0 && node_count + inner <= MAX_NODES) {
            n->base = 's';
            n->first = node_count;
            n->count = inner;
            node_count += inner;
            random_members(n->first, inner, depth - 1);
        }
    }
}

/* ---- layout: GLSL 4.60, 7.6.2.2 "Standard Uniform Block Layout" ---- */

static unsigned
align_up(unsigned v, unsigned to)
{
    return (v + to - 1) / to * to;
}

struct extent {
    unsigned align_B, size_B;
};

static unsigned
word_B(char base)
{
    return base == 'd' ? 8 : 4;
}

static struct extent
vector_extent(char base, unsigned count)
{
    unsigned n = word_B(base);
    return (struct extent){n * (count == 3 ? 4 : count), n * count};
}

/* Rules 4 to 6 and 8: arrays, and matrices, which are arrays of vectors. */
static struct extent
array_extent(struct extent element, unsigned length, bool std140)
{
    unsigned align = std140 ? align_up(element.align_B, 16) : element.align_B;
    return (struct extent){align, align_up(element.size_B, align) * length};
}

static struct extent node_extent(const struct node *n, bool std140);

static struct extent
struct_extent(const struct node *n, bool std140)
{
    struct extent all = {std140 ? 16 : 1, 0};
    for (unsigned i = 0; i < n->count; i++) {
        struct extent e = node_extent(&nodes[n->first + i], std140);
        all.size_B = align_up(all.size_B, e.align_B) + e.size_B;
        if (e.align_B > all.align_B)
            all.align_B = e.align_B;
    }
    if (std140)
        all.align_B = align_up(all.align_B, 16);
    all.size_B = align_up(all.size_B, all.align_B);
    return all;
}

/* For one element of the arrays. */
static struct extent
element_extent(const struct node *n, bool std140)
{
    if (n->base == 's')
        return struct_extent(n, std140);
    if (n->columns == 1)
        return vector_extent(n->base, n->rows);
    unsigned vectors = n->row_major ? n->rows : n->columns;
    unsigned length = n->row_major ? n->columns : n->rows;
    return array_extent(vector_extent(n->base, length), vectors, std140);
}

static struct extent
node_extent(const struct node *n, bool std140)
{
    struct extent e = element_extent(n, std140);
    for (unsigned d = 0; d < 2; d++)
        if (n->lengths[1 - d])
            e = array_extent(e, n->lengths[1 - d], std140);
    return e;
}

/* The name of a member of `path`. Nesting is bounded, so it fits. */
static void
put_name(char *to, size_t size, const char *path, const char *within)
{
    if (snprintf(to, size, "%s%s", path, within) >= (int)size)
        abort();
}

static void
add_leaf(const char *path, const char *suffix, char base, unsigned offset_B)
{
    if (leaf_count == MAX_LEAVES)
        return;
    struct leaf *l = &leaves[leaf_count++];
    put_name(l->path, sizeof l->path, path, suffix);
    l->base = base;
    l->offset_B = offset_B;
}

static void
value_leaves(const struct node *n, const char *path, unsigned at_B, bool std140)
{
    struct extent vector = vector_extent(
        n->base, n->columns > 1 && n->row_major ? n->columns : n->rows);
    unsigned stride_B = array_extent(vector, 1, std140).size_B;
    unsigned word = word_B(n->base);
    for (unsigned c = 0; c < n->columns; c++)
        for (unsigned r = 0; r < n->rows; r++) {
            char suffix[32] = "";
            unsigned outer = n->row_major ? r : c, inner = n->row_major ? c : r;
            if (n->columns > 1)
                snprintf(suffix, sizeof suffix, "[%u][%u]", c, r);
            else if (n->rows > 1)
                snprintf(suffix, sizeof suffix, "[%u]", r);
            add_leaf(path, suffix, n->base,
                     n->columns > 1 ? at_B + outer * stride_B + inner * word
                                    : at_B + r * word);
        }
}

static void member_leaves(unsigned first, unsigned count, const char *path,
                          unsigned at_B, bool std140);

static void
node_leaves(const struct node *n, const char *path, unsigned at_B, bool std140)
{
    struct extent e = element_extent(n, std140), row = e;
    if (n->lengths[1])
        row = array_extent(e, n->lengths[1], std140);
    unsigned row_B = array_extent(row, 1, std140).size_B;
    unsigned element_B = array_extent(e, 1, std140).size_B;
    unsigned i_count = n->lengths[0] ? n->lengths[0] : 1;
    unsigned j_count = n->lengths[1] ? n->lengths[1] : 1;
    for (unsigned i = 0; i < i_count; i++)
        for (unsigned j = 0; j < j_count; j++) {
            char full[72], index[32] = "";
            if (n->lengths[0] && n->lengths[1])
                snprintf(index, sizeof index, "[%u][%u]", i, j);
            else if (n->lengths[0])
                snprintf(index, sizeof index, "[%u]", i);
            else if (n->lengths[1])
                snprintf(index, sizeof index, "[%u]", j);
            put_name(full, sizeof full, path, index);
            unsigned at = at_B + (i_count > 1 ? i * row_B : 0) +
                          (j_count > 1 ? j * element_B : 0);
            if (n->base == 's')
                member_leaves(n->first, n->count, full, at, std140);
            else
                value_leaves(n, full, at, std140);
        }
}

static void
member_leaves(unsigned first, unsigned count, const char *path, unsigned at_B,
              bool std140)
{
    unsigned end_B = 0;
    for (unsigned i = 0; i < count; i++) {
        struct extent e = node_extent(&nodes[first + i], std140);
        char full[72], member[16];
        snprintf(member, sizeof member, ".m%u", first + i);
        put_name(full, sizeof full, path, member);
        end_B = align_up(end_B, e.align_B);
        node_leaves(&nodes[first + i], full, at_B + end_B, std140);
        end_B += e.size_B;
    }
}

/* ---- shaders ---- */

static void
say_type(struct text *t, const struct node *n, unsigned index)
{
    static const char *const scalars[] = {"float", "int", "uint", "double"};
    static const char *const prefixes[] = {"", "i", "u", "d"};
    unsigned k = n->base == 'f'   ? 0
                 : n->base == 'i' ? 1
                 : n->base == 'u' ? 2
                                  : 3;
    if (n->base == 's')
        say(t, "S%u", index);
    else if (n->columns > 1)
        say(t, "%smat%ux%u", prefixes[k], n->columns, n->rows);
    else if (n->rows > 1)
        say(t, "%svec%u", prefixes[k], n->rows);
    else
        say(t, "%s", scalars[k]);
}

/* Structures inherit the major of the member that has their type, so each
 * member specifies its own. */
static void
say_members(struct text *t, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++) {
        const struct node *n = &nodes[i];
        if (n->base == 's' || n->columns > 1)
            say(t, "layout(%s_major) ", n->row_major ? "row" : "column");
        say_type(t, n, i);
        say(t, " m%u", i);
        for (unsigned d = 0; d < 2; d++)
            if (n->lengths[d])
                say(t, "[%u]", n->lengths[d]);
        say(t, ";");
    }
}

/* GLSL allows no layout within structures; their matrices inherit it. */
static void
inherit_major(unsigned first, unsigned count, bool row_major)
{
    for (unsigned i = first; i < first + count; i++) {
        nodes[i].row_major = row_major;
        if (nodes[i].base == 's')
            inherit_major(nodes[i].first, nodes[i].count, row_major);
    }
}

static void
say_structs(struct text *t, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++) {
        const struct node *n = &nodes[i];
        if (n->base != 's')
            continue;
        say_structs(t, n->first, n->count);
        say(t, "struct S%u {", i);
        for (unsigned k = n->first; k < n->first + n->count; k++) {
            say_type(t, &nodes[k], k);
            say(t, " m%u", k);
            for (unsigned d = 0; d < 2; d++)
                if (nodes[k].lengths[d])
                    say(t, "[%u]", nodes[k].lengths[d]);
            say(t, ";");
        }
        say(t, "};\n");
    }
}

static void
say_leaf(struct text *t, const struct leaf *l, unsigned index)
{
    switch (l->base) {
    case 'f':
        say(t, "o[%u] = floatBitsToUint(a%s);\n", 2 * index, l->path);
        return;
    case 'i': say(t, "o[%u] = uint(a%s);\n", 2 * index, l->path); return;
    case 'u': say(t, "o[%u] = a%s;\n", 2 * index, l->path); return;
    default:
        say(t, "d = unpackDouble2x32(a%s); o[%u] = d.x; o[%u] = d.y;\n",
            l->path, 2 * index, 2 * index + 1);
    }
}

static const struct kind {
    const char *name, *layout, *block;
    GLenum target;
    bool std140;
} kinds[] = {
    {"uniform", "std140", "uniform", GL_UNIFORM_BUFFER, true},
    {"storage140", "std140", "buffer", GL_SHADER_STORAGE_BUFFER, true},
    {"storage430", "std430", "buffer", GL_SHADER_STORAGE_BUFFER, false},
};

/* ---- a case ---- */

static char source[SOURCE_B];
static uint32_t words[BLOCK_B / 4], answer[2 * MAX_LEAVES], copied[BLOCK_B / 4];

static GLuint
make_program(const struct kind *k, unsigned count, bool store)
{
    struct text t = {source, sizeof source};
    say(&t, GLSL "layout(local_size_x = 1) in;\n");
    say_structs(&t, 0, count);
    say(&t, "layout(%s, binding = 0) %s A {", k->layout, k->block);
    say_members(&t, 0, count);
    say(&t, "} a;\n");
    if (store) {
        say(&t, "layout(%s, binding = 1) buffer B {", k->layout);
        say_members(&t, 0, count);
        say(&t, "} b;\n");
    }
    say(&t, "layout(std430, binding = 2) buffer O { uint o[]; };\n"
            "void main(){ uvec2 d;\n");
    for (unsigned i = 0; i < leaf_count; i++)
        say_leaf(&t, &leaves[i], i);
    for (unsigned i = 0; i < leaf_count && store; i++)
        say(&t, "b%s = a%s;\n", leaves[i].path, leaves[i].path);
    say(&t, "}");
    return gl_compute(source);
}

/* Finite numbers, so that no conversion may change their bits. */
static void
random_words(void)
{
    for (unsigned i = 0; i < COUNT(words); i++)
        words[i] = (0x3f000000 + sweep_random(1 << 24)) ^ sweep_random(2) << 31;
}

static void
check(const char *name, bool store)
{
    const char *bad = NULL;
    unsigned wrong = 0;
    for (unsigned i = 0; i < leaf_count; i++) {
        const struct leaf *l = &leaves[i];
        unsigned at = l->offset_B / 4, n = word_B(l->base) / 4;
        if (memcmp(&answer[2 * i], &words[at], n * 4) ||
            (store && memcmp(&copied[at], &words[at], n * 4))) {
            bad = wrong++ ? bad : l->path;
        }
        memset(&copied[at], 0x5a, n * 4);
    }
    for (unsigned i = 0; i < COUNT(copied) && store; i++)
        if (copied[i] != 0x5a5a5a5a) {
            bad = bad ? bad : "padding";
            wrong++;
        }
    sweep_verdict(name, !wrong, "%u of %u, the first is a%s\n%s", wrong,
                  leaf_count, bad ? bad : "", source);
}

static void
run_case(const char *name, const struct kind *k)
{
    node_count = 1 + sweep_random(5);
    unsigned count = node_count;
    random_members(0, count, 2);
    for (unsigned i = 0; i < count; i++)
        if (nodes[i].base == 's')
            inherit_major(nodes[i].first, nodes[i].count, nodes[i].row_major);
    leaf_count = 0;
    member_leaves(0, count, "", 0, k->std140);
    if (leaf_count > 400 || leaves[leaf_count - 1].offset_B + 8 > sizeof words)
        return;
    bool store = k->target == GL_SHADER_STORAGE_BUFFER;
    GLuint program = make_program(k, count, store);
    random_words();
    memset(copied, 0x5a, sizeof copied);
    GLuint b[3] = {
        sweep_buffer(k->target, 0, words, sizeof words),
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 1, copied, sizeof copied),
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 2, NULL, sizeof answer),
    };
    if (store)
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, b[0]);
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(b[1], 0, sizeof copied, copied);
    glGetNamedBufferSubData(b[2], 0, sizeof answer, answer);
    check(name, store);
    glDeleteBuffers(3, b);
    glDeleteProgram(program);
}

void
sweep_block(void)
{
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        if (!sweep_begin(sweep_name("block.%s", kinds[i].name)))
            continue;
        for (unsigned n = 0; n < (sweep_large ? 300 : 30); n++) {
            char name[64];
            snprintf(name, sizeof name, "block.%s.%u", kinds[i].name, n);
            run_case(name, &kinds[i]);
        }
    }
}
