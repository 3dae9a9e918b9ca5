/* disasm_listing.c: compiled code next to its EU code. */
#include "eu/jit/listing/listing.h"

#include <stdio.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#include <dlfcn.h>

typedef __typeof__(&ZydisDisassembleIntel) disassemble_fn;

/* Loaded on demand, so that applications do not depend on it. NULL: not
 * installed. */
static disassemble_fn
find_disassembler(void)
{
    char name[64];
    snprintf(name, sizeof name, "libZydis.so.%u.%u",
             (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
             (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "ZydisDisassembleIntel") : NULL;
    disassemble_fn fn;
    memcpy(&fn, &symbol, sizeof fn);
    return fn;
}

static void
list_code(const struct eu_jit *jit, disassemble_fn disassemble,
          const uint8_t *code, uint32_t from, uint32_t end)
{
    ZydisDisassembledInstruction insn;
    while (from < end && ZYAN_SUCCESS(disassemble(
                             ZYDIS_MACHINE_MODE_LONG_64, (uintptr_t)code + from,
                             code + from, end - from, &insn))) {
        trace(jit, "        %6x  %s", from, insn.text);
        from += insn.info.length;
    }
}
#endif

static void
list_op(const struct eu_jit *jit, const struct jit_variant *copy,
        uint32_t index, uint32_t from, uint32_t end)
{
    const uint32_t *order = copy->order;
    const struct eu_op *op = &jit->kernel->ops[order ? order[index] : index];
    unsigned what = jit->places->start[index];
    char text[256];
    eu_disasm(text, sizeof text, op->insn, jit->kernel->gen);
    if (what & JIT_START)
        trace(jit, "L%x:%s", op->ip, what & JIT_LOOP ? " loop" : "");
    trace(jit, "%6x: %s (at 0x%x, %u bytes)%s", op->ip,
          op->fn == eu_op_join ? "channels join" : text, from, end - from,
          what & JIT_INTERPRETED ? " interpreted" : "");
}

/* After the last op: exits, jumps to the other variant, functions. */
static void
list_copy(const struct eu_jit *jit, const struct jit_variant *copy)
{
    const uint32_t *at = copy->at, last = jit->kernel->op_count - 1;
#ifdef HAVE_ZYDIS
    disassemble_fn disassemble = find_disassembler();
    if (disassemble)
        list_code(jit, disassemble, copy->code, 0, at[0]);
#endif
    for (uint32_t i = 0; i <= last; i++) {
        uint32_t end = i < last ? at[i + 1] : copy->text_B;
        if (i < last)
            list_op(jit, copy, i, at[i], end);
        else
            trace(jit, "ways out (at 0x%x, %u bytes)", at[i], end - at[i]);
#ifdef HAVE_ZYDIS
        if (disassemble)
            list_code(jit, disassemble, copy->code, at[i], end);
#endif
    }
}

void
eu_jit_list(const struct eu_jit *jit, const struct jit_variant *copy)
{
    const struct eu_kernel *k = jit->kernel;
    trace(jit,
          "kernel %016llx, %s: %u ops, %u native, %zu bytes at %p, %zu of them "
          "constants",
          (unsigned long long)k->hash,
          copy->masked         ? "any channels on"
          : copy->threads == 4 ? "four threads"
          : copy->threads == 2 ? "two threads"
                               : "all channels on",
          k->op_count, jit->native_count, copy->size_B,
          (const void *)copy->code, copy->size_B - copy->text_B);
    list_copy(jit, copy);
}
