/* trace_code.c: compiled code beside EU code, and a map for profilers. */
#include "eu/jit/code.h"

#include <stdio.h>
#include <unistd.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

static void
list_code(const struct eu_jit *jit, uint32_t from, uint32_t end)
{
    ZydisDisassembledInstruction insn;
    const uint8_t *code = jit->code;
    while (from < end) {
        if (!ZYAN_SUCCESS(ZydisDisassembleIntel(
                ZYDIS_MACHINE_MODE_LONG_64, (uintptr_t)code + from,
                code + from, end - from, &insn)))
            break;
        trace(jit, "        %6x  %s", from, insn.text);
        from += insn.info.length;
    }
}
#else
static void
list_code(const struct eu_jit *jit, uint32_t from, uint32_t end)
{
    trace(jit, "        %6x  %u bytes", from, end - from);
}
#endif

/* The format that perf reads: doc/perf-map in the kernel's tools/perf. */
static void
write_map(const struct eu_jit *jit)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *f = fopen(path, "a");
    if (!f)
        return;
    fprintf(f, "%llx %zx eu_%016llx\n",
            (unsigned long long)(uintptr_t)jit->code, jit->size_B,
            (unsigned long long)jit->kernel->hash);
    fclose(f);
}

void
eu_jit_trace(const struct eu_jit *jit)
{
    const struct eu_kernel *k = jit->kernel;
    trace(jit, "kernel %016llx: %u ops, %u native, %zu bytes of code",
          (unsigned long long)k->hash, k->op_count, jit->native_count,
          jit->size_B);
    for (uint32_t i = 0; i + 1 < k->op_count; i++) {
        char text[256];
        eu_disasm(text, sizeof text, k->ops[i].insn, k->gen);
        trace(jit, "%6x: %s", k->ops[i].ip,
              k->ops[i].fn == eu_op_join ? "(channels join)" : text);
        list_code(jit, jit->at[i], jit->at[i + 1]);
    }
    write_map(jit);
}
