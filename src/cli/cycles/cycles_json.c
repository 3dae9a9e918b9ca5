/* cycles_json.c: the model in profile.json. */
#include "cli/cycles/cycles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const table_names[CYCLES_TABLES] = {"A", "B"};

/* Table A's figures have plain names. */
static const struct {
    const char *clocks, *busy;
} keys[CYCLES_TABLES] = {{"clocks", "busy"}, {"clocks_B", "busy_B"}};

void
cycles_put_costs(json_t *insn, const struct cycles_cost costs[CYCLES_TABLES])
{
    json_object_set_new(insn, "unit",
                        json_string(cycles_unit_names[costs[0].unit]));
    for (unsigned t = 0; t < CYCLES_TABLES; t++) {
        json_object_set_new(insn, keys[t].clocks,
                            json_integer(costs[t].clocks));
        json_object_set_new(insn, keys[t].busy, json_integer(costs[t].busy));
    }
}

bool
cycles_get_costs(struct cycles_cost costs[CYCLES_TABLES], const json_t *insn)
{
    const char *name = json_string_value(json_object_get(insn, "unit"));
    unsigned unit = 0;
    while (name && unit < CYCLES_UNIT_COUNT &&
           strcmp(name, cycles_unit_names[unit]))
        unit++;
    if (!name || unit == CYCLES_UNIT_COUNT)
        return false;
    for (unsigned t = 0; t < CYCLES_TABLES; t++)
        costs[t] = (struct cycles_cost){
            .clocks = (uint32_t)json_integer_value(
                json_object_get(insn, keys[t].clocks)),
            .busy = (uint32_t)json_integer_value(
                json_object_get(insn, keys[t].busy)),
            .unit = (uint8_t)unit};
    return true;
}

/* Clocks in microseconds, with three digits after the point. */
static json_t *
in_us(const struct cycles_model *m, double clocks)
{
    return json_real(round(1000 * clocks / m->clock_MHz) / 1000);
}

json_t *
cycles_json(const struct cycles_model *m,
            const struct cycles_bounds bounds[CYCLES_TABLES])
{
    json_t *list = json_array();
    for (unsigned t = 0; t < CYCLES_TABLES; t++) {
        const struct cycles_bounds *b = &bounds[t];
        if (!m->tables[t])
            continue;
        json_t *o = json_pack("{s:s, s:f, s:o, s:s}", "table", table_names[t],
                              "clock_MHz", m->clock_MHz, "us",
                              in_us(m, b->clocks[b->limit]), "limit",
                              cycles_limit_names[b->limit]);
        for (unsigned i = 0; i < CYCLES_LIMIT_COUNT; i++) {
            char key[32];
            snprintf(key, sizeof key, "%s_us", cycles_limit_keys[i]);
            if (b->clocks[i] >= 0)
                json_object_set_new(o, key, in_us(m, b->clocks[i]));
        }
        json_array_append_new(list, o);
    }
    return list;
}

void
cycles_get_model(struct cycles_model *m, const json_t *list)
{
    *m = (struct cycles_model){.clock_MHz = CYCLES_CLOCK_MHZ};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(o, "table"));
        double clock_MHz = json_number_value(json_object_get(o, "clock_MHz"));
        for (unsigned t = 0; name && t < CYCLES_TABLES; t++)
            m->tables[t] |= !strcmp(name, table_names[t]);
        if (clock_MHz > 0)
            m->clock_MHz = clock_MHz;
    }
}
