/* batch_file.h: recorded submissions of one hardware context, in order.
 *
 * record_batches.c writes them, batch_seed.c reads them. All numbers are little
 * endian. The file is BATCH_MAGIC, then per submission a struct batch_head, its
 * objects, and the pages that differ from what earlier submissions had there
 * (zeros before the first). A page is its address and runs of dwords; dwords
 * between runs are zero. */
#ifndef FUZZ_BATCH_FILE_H
#define FUZZ_BATCH_FILE_H

#include <stdint.h>

#define BATCH_MAGIC UINT64_C(0x31686374614266) /* "fBatch1" */
#define BATCH_PAGE_B 4096u
#define BATCH_PAGE_DW (BATCH_PAGE_B / 4)

struct batch_head {
    uint32_t objects, pages;
    uint32_t ring; /* I915_EXEC_RING_MASK of the flags */
    uint32_t unused;
    uint64_t batch_va;
};

struct batch_object {
    uint64_t va, size_B;
};

/* After a page's address; a run without dwords ends the page. */
struct batch_run {
    uint16_t skip_dw, count_dw;
};

#endif
