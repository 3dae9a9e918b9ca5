#include "base/base.h"

_Atomic uint64_t stats_counter[STAT_COUNT];

static const struct {
    const char *name, *help;
} rows[STAT_COUNT] = {
#define X(name, help) {#name, help},
    STATS(X)
#undef X
};

const char *
stats_name(enum stat_id s)
{
    return rows[s].name;
}

const char *
stats_help(enum stat_id s)
{
    return rows[s].help;
}
