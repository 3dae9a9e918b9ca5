/* batch_seed.h: recorded submissions in memory, ready to be run again and
 * again.
 *
 * A seed has an address space of its own with one file under all objects, which
 * the CPU maps, too. One thread, except that others may write the CPU's view
 * while a batch runs. */
#ifndef FUZZ_BATCH_SEED_H
#define FUZZ_BATCH_SEED_H

#include "batch_file.h"

#include "engine/engine.h"

#define SEED_SUBMITS 4 /* later ones are left out */

struct seed_page {
    uint64_t at_B;          /* in the file */
    const uint8_t *encoded; /* runs, see batch_file.h */
};

struct seed_submit {
    uint64_t batch_va;
    enum engine_ring ring;
    struct seed_page *pages;
    unsigned page_count;
    /* Dwords that the pages set, by their place in the file: of the page at
     * batch_va and those after it, then all others. */
    uint32_t *dwords;
    unsigned dword_count, command_count;
};

struct seed {
    char *name;
    uint8_t *data; /* the file's contents */
    size_t data_B;
    struct batch_object *objects;
    uint64_t *object_at_B;
    unsigned object_count;
    struct seed_submit submits[SEED_SUBMITS];
    unsigned submit_count;
    /* After seed_prepare(). */
    struct engine_vm *vm;
    int memfd;
    uint8_t *mem;
    uint64_t mem_B;
};

/* All files of a folder, by name. Those that cannot be read are left out. */
struct seed *seed_load_all(const char *folder, unsigned *count);
/* Makes the address space, once. False: out of something. */
bool seed_prepare(struct seed *seed, struct engine *engine);
/* All memory to zero, as before the first submission. */
void seed_clear(struct seed *seed);
/* Memory as recorded before submission i; cleared: it is zero. */
void seed_write_pages(const struct seed *seed, unsigned i, bool cleared);

#endif
