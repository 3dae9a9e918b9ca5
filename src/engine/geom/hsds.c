#include "engine/geom/geom.h"
bool
hsds_init(struct geom *g)
{
    unimp("tessellation");
    return false;
}
void
hsds_finish(struct geom *g)
{
}
void
hsds_patch(struct geom *g, const struct geom_object *o,
           struct geom_vert *const *v)
{
}
void
hsds_flush(struct geom *g)
{
}
