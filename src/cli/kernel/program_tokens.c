/* program_tokens.c: NEO's program format of Gen8 and Gen9: a header, then per
 * kernel a header, name, heaps and a list of tokens. A token is a number, a
 * size and dwords. Observed: output of ocloc 22.43; names from Intel's
 * compute-runtime and IGC (patch_list.h). */
#include "cli/kernel/program.h"

#include <stdlib.h>

enum token {
    TOKEN_BINDING_TABLE = 8,
    TOKEN_BUFFER = 11,
    TOKEN_IMAGE = 12,
    TOKEN_LOCAL_SURFACE = 15,
    TOKEN_SAMPLER = 16,
    TOKEN_DATA = 17,
    TOKEN_VFE = 18,
    TOKEN_PAYLOAD = 22,
    TOKEN_ENVIRONMENT = 23,
    TOKEN_STREAM = 25,
    TOKEN_STATELESS_BUFFER = 30,
    TOKEN_STATELESS_CONSTANT = 31,
    TOKEN_PRINTF = 33,
    TOKEN_PRIVATE = 38,
    TOKEN_PROGRAM_GLOBALS = 41,
    TOKEN_PROGRAM_CONSTANTS = 42,
    TOKEN_GLOBALS = 43,
    TOKEN_CONSTANTS = 44,
};

/* First dword of a TOKEN_DATA. Others (sizes of images, ...) become
 * PARAM_UNKNOWN. */
static const struct {
    uint32_t type;
    enum program_param_kind kind;
} data_kinds[] = {
    {1, PARAM_VALUE},          {2, PARAM_LOCAL_SIZE},
    {3, PARAM_GLOBAL_SIZE},    {4, PARAM_GROUP_COUNT},
    {5, PARAM_WORK_DIM},       {8, PARAM_LOCAL},
    {16, PARAM_GLOBAL_OFFSET}, {28, PARAM_ENQUEUED_LOCAL_SIZE},
    {42, PARAM_BUFFER_START},
};
/* Means only that the argument is never used as a pointer. */
#define DATA_BUFFER_STATEFUL 43

#define PROGRAM_HEADER_DW 7
#define KERNEL_HEADER_DW 10
#define CORE_GEN8 11
#define CORE_GEN9 12
#define TOKEN_DW 34 /* of the largest token known here */

/* Unread bytes. */
struct reader {
    const uint8_t *at;
    size_t left_B;
};

static const uint8_t *
take_bytes(struct reader *r, size_t size_B)
{
    const uint8_t *at = r->at;
    if (size_B > r->left_B)
        return NULL;
    r->at += size_B;
    r->left_B -= size_B;
    return at;
}

static bool
take_dwords(struct reader *r, uint32_t *dw, unsigned count)
{
    const uint8_t *at = take_bytes(r, count * sizeof *dw);
    if (at)
        memcpy(dw, at, count * sizeof *dw);
    return at != NULL;
}

/* Reads the next token's number; missing dwords read as zero. Returns false at
 * the end of the list, or when it is damaged (then bytes are left). */
static bool
next_token(struct reader *list, uint32_t *token, uint32_t dw[TOKEN_DW])
{
    struct reader at = *list;
    uint32_t head[2];
    if (!take_dwords(&at, head, 2) || head[1] < sizeof head ||
        head[1] > list->left_B)
        return false;
    memset(dw, 0, TOKEN_DW * sizeof *dw);
    memcpy(dw, at.at, MIN2(head[1] - sizeof head, TOKEN_DW * sizeof *dw));
    take_bytes(list, head[1]);
    *token = head[0];
    return true;
}

static bool
add_param(struct program_kernel *k, const struct program_param *param)
{
    struct program_param *grown = realloc(k->params,
                                          (k->param_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    k->params = grown;
    grown[k->param_count++] = *param;
    return true;
}

static bool
data_token(struct program_kernel *k, const uint32_t *dw)
{
    struct program_param param = {
        .kind = PARAM_UNKNOWN,
        .arg = dw[1],
        .offset_B = dw[2],
        .size_B = dw[3],
        .source_B = dw[4],
        .surface_B = PROGRAM_NONE,
    };
    if (dw[0] == DATA_BUFFER_STATEFUL)
        return true;
    for (unsigned i = 0; i < ARRAY_SIZE(data_kinds); i++)
        if (data_kinds[i].type == dw[0])
            param.kind = data_kinds[i].kind;
    return add_param(k, &param);
}

/* A pointer in the payload and a surface state. Every kind of memory has both,
 * after different numbers of other dwords. */
static bool
memory_token(struct program_kernel *k, enum program_param_kind kind,
             const uint32_t *dw, uint32_t arg)
{
    struct program_param param = {
        .kind = kind,
        .arg = arg,
        .surface_B = dw[0],
        .offset_B = dw[1],
        .size_B = dw[2],
    };
    if (kind == PARAM_PRIVATE) {
        param.source_B = dw[3];
        param.per_thread = !dw[4];
    }
    return add_param(k, &param);
}

static bool
kernel_token(struct program_kernel *k, uint32_t token, const uint32_t *dw)
{
    switch (token) {
    case TOKEN_BINDING_TABLE:
        k->binding_table_B = dw[0];
        k->binding_count = dw[1];
        return true;
    case TOKEN_LOCAL_SURFACE: k->slm_B = dw[1]; return true;
    case TOKEN_VFE: k->scratch_B = dw[1]; return true;
    case TOKEN_STREAM: k->cross_thread_B = dw[0]; return true;
    case TOKEN_PAYLOAD:
        for (unsigned i = 0; i < 3; i++)
            k->local_id[i] = dw[1 + i] != 0;
        k->unused_per_thread = dw[6] != 0;
        return true;
    case TOKEN_ENVIRONMENT:
        memcpy(k->required_local, dw, sizeof k->required_local);
        k->simd = dw[3];
        k->has_barriers = dw[5] != 0;
        return true;
    case TOKEN_DATA: return data_token(k, dw);
    case TOKEN_STATELESS_BUFFER:
    case TOKEN_STATELESS_CONSTANT:
        return memory_token(k, PARAM_BUFFER, dw + 1, dw[0]);
    case TOKEN_PRINTF: return memory_token(k, PARAM_PRINTF, dw + 1, 0);
    case TOKEN_PRIVATE: return memory_token(k, PARAM_PRIVATE, dw, 0);
    case TOKEN_GLOBALS: return memory_token(k, PARAM_GLOBALS, dw + 1, 0);
    case TOKEN_CONSTANTS: return memory_token(k, PARAM_CONSTANTS, dw + 1, 0);
    case TOKEN_IMAGE:
    case TOKEN_SAMPLER:
    case TOKEN_BUFFER:
        k->unsupported = token == TOKEN_SAMPLER ? "a sampler argument"
                         : token == TOKEN_IMAGE ? "an image argument"
                                                : "a buffer without a pointer";
        return true;
    default: return true; /* names, attributes, hints */
    }
}

static bool
read_kernel(struct program *program, struct reader *r, const char **why)
{
    uint32_t head[KERNEL_HEADER_DW], token, dw[TOKEN_DW];
    *why = "kernel header outside of the file";
    if (!take_dwords(r, head, KERNEL_HEADER_DW))
        return false;
    const uint32_t name_B = head[3], list_B = head[4], used_B = head[9];
    const uint8_t *name = take_bytes(r, name_B), *code = take_bytes(r, head[5]);
    if (!name || !code || !take_bytes(r, head[6]) || !take_bytes(r, head[7]) ||
        used_B > head[5])
        return false;
    const uint8_t *surfaces = take_bytes(r, head[8]);
    struct reader list = {take_bytes(r, list_B), list_B};
    if (!surfaces || !list.at)
        return false;
    *why = "out of memory";
    struct program_kernel *k = program_add_kernel(program, (const char *)name,
                                                  name_B);
    if (!k)
        return false;
    k->code = code;
    k->code_B = used_B;
    k->surfaces = surfaces;
    k->surfaces_B = head[8];
    while (next_token(&list, &token, dw))
        if (!kernel_token(k, token, dw))
            return false;
    *why = "damaged list of tokens";
    return !list.left_B;
}

/* Reads tokens of the whole program. The bytes of constants follow their
 * token. */
static bool
read_program_tokens(struct program *program, struct reader list)
{
    uint32_t token, dw[TOKEN_DW];
    while (next_token(&list, &token, dw)) {
        bool constants = token == TOKEN_PROGRAM_CONSTANTS;
        if (!constants && token != TOKEN_PROGRAM_GLOBALS)
            continue;
        uint32_t size_B = constants ? dw[1] : dw[2];
        const uint8_t *data = take_bytes(&list, size_B);
        if (!data)
            return false;
        *(constants ? &program->constants : &program->globals) = data;
        *(constants ? &program->constants_B : &program->globals_B) = size_B;
    }
    return !list.left_B;
}

bool
program_read_tokens(struct program *program, const uint8_t *data, size_t size_B,
                    const char **why)
{
    struct reader r = {data, size_B};
    uint32_t head[PROGRAM_HEADER_DW];
    *why = "not a program of patch tokens";
    if (!take_dwords(&r, head, PROGRAM_HEADER_DW) || memcmp(head, "CTNI", 4))
        return false;
    *why = "a device other than Gen8 and Gen9";
    if (head[2] != CORE_GEN8 && head[2] != CORE_GEN9)
        return false;
    program->gen = head[2] == CORE_GEN8 ? EU_GEN8 : EU_GEN9;
    struct reader list = {take_bytes(&r, head[6]), head[6]};
    *why = "damaged program tokens";
    if (!list.at || !read_program_tokens(program, list))
        return false;
    for (uint32_t i = 0; i < head[4]; i++)
        if (!read_kernel(program, &r, why))
            return false;
    *why = "a program without kernels";
    return program->kernel_count > 0;
}
