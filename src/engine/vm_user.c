/* vm_user.c: private memory of the application, which cannot be mapped twice.
 *
 * The window has a copy. As a batch begins that lists it, what the application
 * has changed since goes into the copy; as it ends, bytes that the GPU has
 * changed go back, and no others, for the application may write its own
 * meanwhile. The application's side may be gone at any time. */
#include "engine/engine.h"
#include "engine/state.h"
#include "engine/vm_private.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_B 4096u
#define CHUNK_B (4 * PAGE_B) /* of all three that stays in the cache */

struct vm_user *
vm_user_find(struct vm_private *priv, gpu_va va)
{
    for (unsigned i = 0; i < priv->user_count; i++)
        if (priv->users[i].va == va)
            return &priv->users[i];
    return NULL;
}

int
vm_user_add(struct vm_private *priv, gpu_va va, uint64_t size_B, void *ptr)
{
    struct vm_user user = {.va = va, .size_B = size_B, .ptr = ptr};
    if (!vm_reserve((void **)&priv->users, &priv->user_capacity,
                    priv->user_count + 1, sizeof user))
        return -ENOMEM;
    /* The copy is new and zero as well. */
    user.seen = calloc(1, size_B);
    if (!user.seen)
        return -ENOMEM;
    priv->users[priv->user_count++] = user;
    return 0;
}

void
vm_users_drop(struct vm_private *priv, gpu_va va, uint64_t size_B)
{
    for (unsigned i = 0; i < priv->user_count;) {
        struct vm_user *user = &priv->users[i];
        if (user->va < va + size_B && va < user->va + user->size_B) {
            free(user->seen);
            *user = priv->users[--priv->user_count];
        } else {
            i++;
        }
    }
}

/* What the application has changed of up to CHUNK_B bytes. */
static void
copy_in(const struct vm_user *user, uint8_t *now, uint64_t at, unsigned size_B)
{
    uint8_t theirs[CHUNK_B];
    bool all = engine_copy(theirs, user->ptr + at, size_B);
    for (unsigned i = 0; i < size_B; i += PAGE_B) {
        if (!all && !engine_copy(theirs + i, user->ptr + at + i, PAGE_B))
            continue;
        if (!memcmp(theirs + i, user->seen + at + i, PAGE_B))
            continue;
        memcpy(now + at + i, theirs + i, PAGE_B);
        memcpy(user->seen + at + i, theirs + i, PAGE_B);
    }
}

/* The first byte from i on that differs, or is equal; end: none. */
static unsigned
find_byte(const uint8_t *a, const uint8_t *b, unsigned i, unsigned end,
          bool differs)
{
    while (i < end && (a[i] != b[i]) != differs)
        i++;
    return i;
}

/* What the GPU has changed of a page. */
static void
copy_out_page(const struct vm_user *user, const uint8_t *now, uint64_t at)
{
    uint8_t ours[PAGE_B], *seen = user->seen + at;
    if (!memcmp(now + at, seen, PAGE_B))
        return;
    /* It may go on changing. */
    memcpy(ours, now + at, PAGE_B);
    for (unsigned i = 0; i < PAGE_B;) {
        unsigned from = find_byte(ours, seen, i, PAGE_B, true);
        i = find_byte(ours, seen, from, PAGE_B, false);
        if (i > from &&
            !engine_copy(user->ptr + at + from, ours + from, i - from))
            break;
    }
    memcpy(seen, ours, PAGE_B);
}

static void
copy_out(const struct vm_user *user, const uint8_t *now)
{
    for (uint64_t at = 0; at < user->size_B; at += PAGE_B)
        copy_out_page(user, now, at);
}

static void
begin_batch(struct vm_user *user, uint8_t *now)
{
    if (user->batches++)
        copy_out(user, now);
    for (uint64_t at = 0; at < user->size_B; at += CHUNK_B)
        copy_in(user, now, at, (unsigned)MIN2(user->size_B - at, CHUNK_B));
}

static void
end_batch(struct vm_user *user, uint8_t *now)
{
    copy_out(user, now);
    user->batches -= user->batches > 0;
}

static void
for_each(struct engine_vm *vm, const uint64_t *va, unsigned count,
         void (*what)(struct vm_user *user, uint8_t *now))
{
    struct vm_private *priv = vm->priv;
    if (!count)
        return;
    pthread_mutex_lock(&priv->lock);
    for (unsigned i = 0; i < count; i++) {
        struct vm_user *user = vm_user_find(priv, va[i]);
        if (user)
            what(user, vm->window + user->va);
    }
    pthread_mutex_unlock(&priv->lock);
}

void
vm_begin_users(struct engine_vm *vm, const uint64_t *va, unsigned count)
{
    for_each(vm, va, count, begin_batch);
}

void
vm_end_users(struct engine_vm *vm, const uint64_t *va, unsigned count)
{
    for_each(vm, va, count, end_batch);
}
