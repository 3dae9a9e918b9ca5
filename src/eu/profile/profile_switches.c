/* profile_switches.c: what a process counts, by its environment. */
#include "eu/profile/profile.h"

#include "base/known.h"

#include <stdlib.h>

static int
read_switch(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    return dir && *dir;
}

bool
eu_profile_is_on(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

static int
read_lanes_switch(void)
{
    const char *lanes = getenv("SOFTLAKE_PROFILE_LANES");
    return lanes && *lanes;
}

bool
eu_profile_has_lanes(void)
{
    static atomic_int known;
    return known_int(&known, read_lanes_switch);
}

static int
read_memory_switch(void)
{
    const char *memory = getenv("SOFTLAKE_PROFILE_MEMORY");
    return memory && *memory && eu_profile_is_on();
}

bool
eu_profile_has_memory(void)
{
    static atomic_int known;
    return known_int(&known, read_memory_switch);
}

uint32_t
eu_profile_arrays(void)
{
    return eu_profile_has_memory()  ? PROFILE_MEMORY_ARRAYS
           : eu_profile_has_lanes() ? PROFILE_LANES_ARRAYS
                                    : PROFILE_ARRAYS;
}
