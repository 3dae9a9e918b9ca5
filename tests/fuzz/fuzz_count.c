/* fuzz_count.c: see fuzz.h. */
#include "fuzz.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name;
static atomic_uint_fast64_t total;

static void
print_total(void)
{
    fprintf(stderr, "stat::inside: %" PRIu64 " %s\n",
            (uint64_t)atomic_load(&total), name);
}

void
fuzz_count(const char *what, uint64_t n)
{
    if (!name) {
        name = what;
        atexit(print_total);
    }
    atomic_fetch_add(&total, n);
}
