/* platform.h: which GPU we say we are. One row per --platform; constant. */
#ifndef SHIM_PLATFORM_H
#define SHIM_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

struct platform {
    const char *name;  /* --platform, SOFTLAKE_PLATFORM */
    const char *title; /* for people */
    uint16_t device_id;
    uint8_t revision;
    uint8_t gen;
    uint8_t slices, subslices, eus_per_subslice;
    bool llc;
    uint32_t timestamp_hz;
};

/* NULL when there is no such platform. */
const struct platform *platform_find(const char *name);
/* The row that the environment names, HD Graphics 630 without one. */
const struct platform *platform_from_env(void);
/* Row by number for listings; NULL behind the last. */
const struct platform *platform_row(unsigned index);

#endif
