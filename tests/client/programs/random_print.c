/* random_print.c: prints a random program as GLSL or OpenCL C. */
#include "random_ast.h"

#include <inttypes.h>

struct printer {
    const struct rp_program *program;
    FILE *to;
};

static const char *
type_name(const struct rp_program *p, enum rp_type type)
{
    static const char *const gl[RP_TYPES] = {[RP_BOOL] = "bool",
                                             [RP_I32] = "int",
                                             [RP_U32] = "uint",
                                             [RP_I64] = "int64_t",
                                             [RP_U64] = "uint64_t"};
    static const char *const cl[RP_TYPES] = {"int",   "char",   "uchar",
                                             "short", "ushort", "int",
                                             "uint",  "long",   "ulong"};
    return p->language == RP_GLSL ? gl[type] : cl[type];
}

static void print_expr(const struct printer *o, const struct rp_expr *e);

static void
print_constant(const struct printer *o, const struct rp_expr *e)
{
    const struct rp_program *p = o->program;
    const char *name = type_name(p, e->type);
    bool is_64 = rp_bits(e->type) == 64, gl = p->language == RP_GLSL;
    uint64_t bits = (uint64_t)rp_wrap(rp_unsigned(e->type), (uint64_t)e->value);
    if (e->type == RP_BOOL)
        fputs(e->value ? "true" : "false", o->to);
    else
        fprintf(o->to, gl ? "%s(0x%" PRIx64 "%s)" : "((%s)0x%" PRIx64 "%s)",
                name, bits, is_64 ? "ul" : "u");
}

static void
print_var(const struct printer *o, unsigned index)
{
    if (index >= RP_VARS)
        fprintf(o->to, "i%u", index - RP_VARS);
    else
        fprintf(o->to, "v%u", index);
}

static void
print_op(const struct printer *o, const struct rp_expr *e)
{
    const struct rp_program *p = o->program;
    const char *text = p->language == RP_GLSL ? e->op->glsl : e->op->opencl;
    for (; *text; text++) {
        if (*text != '$') {
            fputc(*text, o->to);
            continue;
        }
        switch (*++text) {
        case 'T': fputs(type_name(p, e->type), o->to); break;
        case 'U': fputs(type_name(p, rp_unsigned(e->type)), o->to); break;
        case 'W':
            fputs(rp_bits(e->type) == 64 ? "ulong" : "uint", o->to);
            break;
        case 'N':
            if (rp_bits(e->type) < 32 && rp_is_signed(e->type))
                fputs(" + z", o->to);
            break;
        case 'M': fprintf(o->to, "%u", rp_bits(e->type) - 1); break;
        default: print_expr(o, e->arg[*text - 'a']); break;
        }
    }
}

static void
print_expr(const struct printer *o, const struct rp_expr *e)
{
    const struct rp_program *p = o->program;
    switch (e->kind) {
    case RP_CONST: print_constant(o, e); return;
    case RP_VAR: print_var(o, e->index); return;
    case RP_ELEMENT:
        fprintf(o->to, "a%u[", e->index);
        print_expr(o, e->arg[0]);
        fprintf(o->to, " & %uu]", p->array[e->index].count - 1);
        return;
    case RP_CONVERT:
        fprintf(o->to, p->language == RP_GLSL ? "(%s(" : "((%s)",
                type_name(p, e->type));
        break;
    case RP_SATURATE:
        fprintf(o->to, "convert_%s_sat(", type_name(p, e->type));
        break;
    case RP_OP: print_op(o, e); return;
    }
    print_expr(o, e->arg[0]);
    /* Observed: Mesa 22.3 folds comparisons of widened values wrongly. */
    if (p->language == RP_GLSL && rp_bits(e->type) == 64)
        fprintf(o->to, ") ^ %s(z", type_name(p, e->type));
    fputs(p->language == RP_GLSL ? "))" : ")", o->to);
}

static void
indent(const struct printer *o, unsigned depth)
{
    fprintf(o->to, "%*s", (int)depth * 2, "");
}

static void print_block(const struct printer *o, const struct rp_stmt *first,
                        unsigned depth);

/* Observed: IGC 1.0.12504 keeps a uniform variable in a scalar, and writes it
 * without a mask inside a divergent if. The else then reads the new value.
 * Zeros that are no constants make the variable differ by lane. */
static void
print_assigned(const struct printer *o, const struct rp_stmt *s, unsigned depth)
{
    bool hidden = o->program->uniform[s->index] && depth > 1 &&
                  o->program->language == RP_OPENCL;
    fputs(hidden ? " = (" : " = ", o->to);
    print_expr(o, s->a);
    fputs(hidden ? ") + (g >> 30)" : "", o->to);
}

static void
print_loop(const struct printer *o, const struct rp_stmt *s, unsigned depth)
{
    bool gl = o->program->language == RP_GLSL;
    unsigned i = s->index;
    fprintf(o->to, gl ? "{ int n%u = int(" : "{ int n%u = (int)(", i);
    print_expr(o, s->a);
    fprintf(o->to, " & 7u); for (int i%u = 0; i%u < n%u; i%u++) {\n", i, i, i,
            i);
    print_block(o, s->body, depth + 1);
    indent(o, depth);
    fputs("} }\n", o->to);
}

static void
print_if(const struct printer *o, const struct rp_stmt *s, unsigned depth)
{
    fputs("if (", o->to);
    print_expr(o, s->a);
    if (s->what != RP_IF) {
        fputs(s->what == RP_BREAK ? ") break;\n" : ") continue;\n", o->to);
        return;
    }
    fputs(") {\n", o->to);
    print_block(o, s->body, depth + 1);
    indent(o, depth);
    if (s->other) {
        fputs("} else {\n", o->to);
        print_block(o, s->other, depth + 1);
        indent(o, depth);
    }
    fputs("}\n", o->to);
}

static void
print_stmt(const struct printer *o, const struct rp_stmt *s, unsigned depth)
{
    indent(o, depth);
    switch (s->what) {
    case RP_FOR: print_loop(o, s, depth); return;
    case RP_IF:
    case RP_BREAK:
    case RP_CONTINUE: print_if(o, s, depth); return;
    case RP_ASSIGN:
        print_var(o, s->index);
        print_assigned(o, s, depth);
        break;
    case RP_STORE:
        fprintf(o->to, "a%u[", s->index);
        print_expr(o, s->a);
        fprintf(o->to, " & %uu] = ", o->program->array[s->index].count - 1);
        print_expr(o, s->b);
        break;
    }
    fputs(";\n", o->to);
}

static void
print_block(const struct printer *o, const struct rp_stmt *first,
            unsigned depth)
{
    for (const struct rp_stmt *s = first; s; s = s->next)
        if (!s->dropped)
            print_stmt(o, s, depth);
}

/* ---- the surrounding shader or kernel ---- */

static void
print_glsl_head(const struct rp_program *p, FILE *to)
{
    fputs("#version 450 core\n", to);
    if (p->wide)
        fputs("#extension GL_ARB_gpu_shader_int64 : require\n", to);
    if (p->stage == RP_COMPUTE)
        fprintf(to, "layout(local_size_x = %u) in;\n",
                8u << (unsigned)(p->seed & 3));
    fputs("layout(std430, binding = 0) readonly buffer In { uint in_[]; };\n"
          "layout(std430, binding = 1) writeonly buffer Out { uint out_[]; };\n"
          "int product_high(int a, int b)\n"
          "{ int h, l; imulExtended(a, b, h, l); return h; }\n"
          "uint product_high(uint a, uint b)\n"
          "{ uint h, l; umulExtended(a, b, h, l); return h; }\n"
          "uint carry_out(uint a, uint b)\n"
          "{ uint c; uaddCarry(a, b, c); return c; }\n"
          "uint borrow_out(uint a, uint b)\n"
          "{ uint c; usubBorrow(a, b, c); return c; }\n"
          "void main() {\n",
          to);
    static const char *const which[RP_STAGES] = {
        [RP_COMPUTE] = "gl_GlobalInvocationID.x",
        [RP_FRAGMENT] = "uint(gl_FragCoord.x) + 8u * uint(gl_FragCoord.y)",
        [RP_VERTEX] = "uint(gl_VertexID)"};
    /* z is 0, which the compiler does not know. */
    fprintf(to, "  uint g = %s, z = in_[%uu];\n", which[p->stage],
            RP_INVOCATIONS * RP_VARS * 2);
}

static void
print_opencl_head(const struct rp_program *p, FILE *to)
{
    if (p->simd)
        fprintf(to, "__attribute__((intel_reqd_sub_group_size(%u)))\n",
                p->simd);
    fprintf(to,
            "kernel void k(global const ulong *in_, global ulong *out_) {\n"
            "  uint g = get_global_id(0), z = (uint)in_[%u];\n",
            RP_INVOCATIONS * RP_VARS);
}

static void
print_inputs(const struct printer *o)
{
    const struct rp_program *p = o->program;
    for (unsigned n = 0; n < p->var_count; n++) {
        const char *name = type_name(p, p->var[n]);
        const char *first = p->uniform[n] ? "0u" : "g";
        fprintf(o->to, "  %s v%u = ", name, n);
        if (p->language == RP_OPENCL)
            fprintf(o->to, "(%s)in_[%s * %u + %u];\n", name, first, RP_VARS, n);
        else if (rp_bits(p->var[n]) == 64)
            fprintf(o->to,
                    "%s(packUint2x32(uvec2(in_[(%s * %uu + %uu) * 2u], "
                    "in_[(%s * %uu + %uu) * 2u + 1u])));\n",
                    name, first, RP_VARS, n, first, RP_VARS, n);
        else
            fprintf(o->to, "%s(in_[(%s * %uu + %uu) * 2u]);\n", name, first,
                    RP_VARS, n);
    }
    for (unsigned n = 0; n < p->array_count; n++) {
        const char *name = type_name(p, p->array[n].type);
        fprintf(o->to,
                "  %s a%u[%u];\n"
                "  for (int k = 0; k < %u; k++) a%u[k] = ",
                name, n, p->array[n].count, p->array[n].count, n);
        fprintf(o->to,
                p->language == RP_GLSL ? "%s(k * 77 + %u);\n"
                                       : "(%s)(k * 77 + %u);\n",
                name, n);
    }
}

static void
print_output(const struct printer *o, enum rp_type type, unsigned at,
             const char *name, int element)
{
    const struct rp_program *p = o->program;
    char text[32];
    snprintf(text, sizeof text, element < 0 ? "%s" : "%s[%d]", name, element);
    if (p->language == RP_OPENCL)
        fprintf(o->to, "  out_[g * %u + %u] = (ulong)%s;\n", RP_OUTPUTS, at,
                text);
    else if (rp_bits(type) == 64)
        fprintf(o->to,
                "  { uvec2 w = unpackUint2x32(uint64_t(%s)); "
                "out_[(g * %uu + %uu) * 2u] = w.x; "
                "out_[(g * %uu + %uu) * 2u + 1u] = w.y; }\n",
                text, RP_OUTPUTS, at, RP_OUTPUTS, at);
    else
        fprintf(o->to, "  out_[(g * %uu + %uu) * 2u] = uint(%s);\n", RP_OUTPUTS,
                at, text);
}

static void
print_outputs(const struct printer *o)
{
    const struct rp_program *p = o->program;
    char name[8];
    unsigned at = 0;
    for (unsigned n = 0; n < p->var_count; n++) {
        snprintf(name, sizeof name, "v%u", n);
        print_output(o, p->var[n], at++, name, -1);
    }
    for (unsigned n = 0; n < p->array_count; n++) {
        snprintf(name, sizeof name, "a%u", n);
        for (unsigned k = 0; k < p->array[n].count; k++)
            print_output(o, p->array[n].type, at++, name, (int)k);
    }
}

void
rp_print(const struct rp_program *p, FILE *to)
{
    struct printer o = {p, to};
    if (p->language == RP_GLSL)
        print_glsl_head(p, to);
    else
        print_opencl_head(p, to);
    print_inputs(&o);
    print_block(&o, p->first, 1);
    print_outputs(&o);
    if (p->language == RP_GLSL && p->stage == RP_VERTEX)
        fputs("  gl_Position = vec4(0.0);\n", to);
    fputs("}\n", to);
}
