/* platform.h: the GPU that the device claims to be. One row per --platform;
 * constant. Any thread. */
#ifndef DRM_SHIM_CORE_PLATFORM_H
#define DRM_SHIM_CORE_PLATFORM_H

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
/* Row by number for listings; NULL after the last. */
const struct platform *platform_row(unsigned index);

#endif
