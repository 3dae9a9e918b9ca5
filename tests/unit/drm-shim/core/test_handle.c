#include "drm-shim/core/handle.h"

#include <criterion/criterion.h>

static int object[100];

Test(handle, are_dense_from_one)
{
    struct handle_table t = {0};
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(handle_add(&t, &object[i]), i + 1);
    handle_finish(&t);
}

Test(handle, lowest_free_one_is_reused)
{
    struct handle_table t = {0};
    for (int i = 0; i < 10; i++)
        handle_add(&t, &object[i]);
    cr_assert_eq(handle_remove(&t, 7), &object[6]);
    cr_assert_eq(handle_remove(&t, 3), &object[2]);
    cr_assert_eq(handle_add(&t, &object[50]), 3u);
    cr_assert_eq(handle_add(&t, &object[51]), 7u);
    cr_assert_eq(handle_add(&t, &object[52]), 11u);
    handle_finish(&t);
}

Test(handle, hostile_handles_are_nothing)
{
    struct handle_table t = {0};
    cr_assert_null(handle_get(&t, 1));
    handle_add(&t, &object[0]);
    cr_assert_null(handle_get(&t, 0));
    cr_assert_null(handle_get(&t, UINT32_MAX));
    cr_assert_null(handle_remove(&t, 2));
    cr_assert_not_null(handle_remove(&t, 1));
    cr_assert_null(handle_remove(&t, 1));
    handle_finish(&t);
}

Test(handle, next_walks_what_is_there)
{
    struct handle_table t = {0};
    for (int i = 0; i < 5; i++)
        handle_add(&t, &object[i]);
    handle_remove(&t, 2);
    handle_remove(&t, 5);
    cr_assert_eq(handle_next(&t, 0), 1u);
    cr_assert_eq(handle_next(&t, 1), 3u);
    cr_assert_eq(handle_next(&t, 4), 0u);
    cr_assert_eq(handle_find(&t, &object[3]), 4u);
    cr_assert_eq(handle_find(&t, &object[99]), 0u);
    handle_finish(&t);
}
