/* vm_userptr.c: private application memory, which cannot be mapped twice.
 *
 * The window holds a copy. When a batch that lists the memory begins, pages
 * that the application has changed are copied in. When the batch ends, only the
 * bytes that the GPU has changed are copied out, because the application may
 * write others meanwhile. The application's memory may be unmapped at any
 * time. */
#include "engine/engine.h"
#include "engine/core/core.h"
#include "engine/vm/vm_private.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_B 4096u
#define CHUNK_B (4 * PAGE_B) /* three buffers of it fit the cache */

struct vm_user *
vm_user_find(struct vm_private *priv, uint64_t at)
{
    for (unsigned i = 0; i < priv->user_count; i++)
        if (priv->users[i].at == at)
            return &priv->users[i];
    return NULL;
}

int
vm_user_add(struct vm_private *priv, uint64_t at, uint64_t size_B, void *ptr)
{
    struct vm_user user = {.at = at, .size_B = size_B, .ptr = ptr};
    if (!vm_reserve((void **)&priv->users, &priv->user_capacity,
                    priv->user_count + 1, sizeof user))
        return -ENOMEM;
    /* The window's copy is new and zero as well. */
    user.seen = calloc(1, size_B);
    if (!user.seen)
        return -ENOMEM;
    priv->users[priv->user_count++] = user;
    return 0;
}

void
vm_users_drop(struct vm_private *priv, uint64_t at, uint64_t size_B)
{
    for (unsigned i = 0; i < priv->user_count;) {
        struct vm_user *user = &priv->users[i];
        if (user->at < at + size_B && at < user->at + user->size_B) {
            free(user->seen);
            *user = priv->users[--priv->user_count];
        } else {
            i++;
        }
    }
}

/* Copies in pages that the application has changed, of up to CHUNK_B bytes. */
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

/* The first byte from i on that differs (or is equal); end: none. */
static unsigned
find_byte(const uint8_t *a, const uint8_t *b, unsigned i, unsigned end,
          bool differs)
{
    while (i < end && (a[i] != b[i]) != differs)
        i++;
    return i;
}

/* Copies out the bytes of a page that the GPU has changed. */
static void
copy_out_page(const struct vm_user *user, const uint8_t *now, uint64_t at)
{
    uint8_t ours[PAGE_B], *seen = user->seen + at;
    if (!memcmp(now + at, seen, PAGE_B))
        return;
    /* Take a snapshot: another batch may write the page meanwhile. */
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

/* Copies out all pages except `but`. */
static void
copy_out(const struct vm_user *user, const uint8_t *now, uint64_t but)
{
    for (uint64_t at = 0; at < user->size_B; at += PAGE_B)
        if (at != but)
            copy_out_page(user, now, at);
}

/* Calls fn for the users at these addresses, with their copy in the window and
 * the place of an address's page in it: beyond its end if it has no such page,
 * or if page_va is 0. */
typedef void (*user_fn)(struct vm_user *user, uint8_t *now, uint64_t page);

static void
each_user(struct engine_vm *vm, const uint64_t *va, unsigned count,
          gpu_va page_va, user_fn fn)
{
    struct vm_private *priv = vm->priv;
    if (!count)
        return;
    pthread_mutex_lock(&priv->lock);
    uint64_t page = page_va ? vm_place(vm, page_va) & ~(uint64_t)(PAGE_B - 1)
                            : UINT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        struct vm_user *user = vm_user_find(priv, vm_place(vm, va[i]));
        if (user)
            fn(user, vm->window + user->at, page - user->at);
    }
    pthread_mutex_unlock(&priv->lock);
}

static void
begin_batch(struct vm_user *user, uint8_t *now, uint64_t page)
{
    (void)page;
    if (user->batches++)
        copy_out(user, now, UINT64_MAX);
    for (uint64_t at = 0; at < user->size_B; at += CHUNK_B)
        copy_in(user, now, at, (unsigned)MIN2(user->size_B - at, CHUNK_B));
}

void
vm_begin_users(struct engine_vm *vm, const uint64_t *va, unsigned count)
{
    each_user(vm, va, count, 0, begin_batch);
}

static void
copy_but(struct vm_user *user, uint8_t *now, uint64_t page)
{
    copy_out(user, now, page);
}

void
vm_copy_users_out(struct engine_vm *vm, const uint64_t *va, unsigned count,
                  gpu_va but)
{
    each_user(vm, va, count, but, copy_but);
}

static void
copy_page(struct vm_user *user, uint8_t *now, uint64_t page)
{
    if (page < user->size_B)
        copy_out_page(user, now, page);
}

void
vm_copy_user_page_out(struct engine_vm *vm, const uint64_t *va, unsigned count,
                      gpu_va at)
{
    each_user(vm, va, count, at, copy_page);
}

static void
end_batch(struct vm_user *user, uint8_t *now, uint64_t page)
{
    (void)now;
    (void)page;
    user->batches -= user->batches > 0;
}

void
vm_end_users(struct engine_vm *vm, const uint64_t *va, unsigned count)
{
    each_user(vm, va, count, 0, end_batch);
}
