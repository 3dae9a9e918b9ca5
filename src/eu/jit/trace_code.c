/* trace_code.c: compiled code beside EU code, and a map for profilers. */
#include "eu/jit/code.h"

#include <stdio.h>
#include <unistd.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#include <dlfcn.h>

typedef __typeof__(&ZydisDisassembleIntel) disassemble_fn;

/* Loaded when a listing is asked for, so that applications do not depend on
 * it. NULL where it is not installed. */
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
list_code(const struct eu_jit *jit, disassemble_fn disassemble, uint32_t from,
          uint32_t end)
{
    ZydisDisassembledInstruction insn;
    const uint8_t *code = jit->code;
    while (from < end && ZYAN_SUCCESS(disassemble(
                             ZYDIS_MACHINE_MODE_LONG_64, (uintptr_t)code + from,
                             code + from, end - from, &insn))) {
        trace(jit, "        %6x  %s", from, insn.text);
        from += insn.info.length;
    }
}
#endif

static void
list_all(const struct eu_jit *jit)
{
    const struct eu_kernel *k = jit->kernel;
#ifdef HAVE_ZYDIS
    disassemble_fn disassemble = find_disassembler();
#endif
    for (uint32_t i = 0; i + 1 < k->op_count; i++) {
        char text[256];
        eu_disasm(text, sizeof text, k->ops[i].insn, k->gen);
        trace(jit, "%6x: %s (%u bytes)%s", k->ops[i].ip,
              k->ops[i].fn == eu_op_join ? "channels join" : text,
              jit->at[i + 1] - jit->at[i],
              jit->start[i] & JIT_INTERPRETED ? " interpreted" : "");
#ifdef HAVE_ZYDIS
        if (disassemble)
            list_code(jit, disassemble, jit->at[i], jit->at[i + 1]);
#endif
    }
}

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
    const struct jit_masked *m = eu_jit_masked(jit);
    if (m)
        fprintf(f, "%llx %zx eu_%016llx_masked\n",
                (unsigned long long)(uintptr_t)m->code, m->size_B,
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
    list_all(jit);
    write_map(jit);
}
