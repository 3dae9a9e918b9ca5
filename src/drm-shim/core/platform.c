#include "drm-shim/core/platform.h"

#include "base/base.h"

#include <stdlib.h>

static const struct platform rows[] = {
    {"kbl", "HD Graphics 630 (KBL GT2)", 0x5912, 2, 9, 1, 3, 8, true, 12000000},
    {"skl", "HD Graphics 530 (SKL GT2)", 0x1912, 6, 9, 1, 3, 8, true, 12000000},
    {"cfl", "UHD Graphics 630 (CFL GT2)", 0x3e92, 0, 9, 1, 3, 8, true,
     12000000},
    {"bxt", "HD Graphics 505 (APL 3x6)", 0x5a84, 11, 9, 1, 3, 6, false,
     19200000},
    {"glk", "UHD Graphics 605 (GLK 3x6)", 0x3184, 3, 9, 1, 3, 6, false,
     19200000},
    {"bdw", "HD Graphics 5500 (BDW GT2)", 0x1616, 9, 8, 1, 3, 8, true,
     12500000},
};

const struct platform *
platform_row(unsigned index)
{
    return index < ARRAY_SIZE(rows) ? &rows[index] : NULL;
}

const struct platform *
platform_find(const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

const struct platform *
platform_from_env(void)
{
    const char *name = getenv("SOFTLAKE_PLATFORM");
    if (!name || !*name)
        return &rows[0];
    const struct platform *p = platform_find(name);
    if (p)
        return p;
    log_printf("softlake: no platform '%s', using %s", name, rows[0].name);
    return &rows[0];
}
