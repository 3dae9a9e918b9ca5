/* profile_read.c: merges the files that profiled processes left
 * (eu/profile/profile_file.h): counts of all threads of all processes by the
 * kernels' content, and counts of single draws and dispatches. */
#include "cli/profile/profile_data.h"
#include "eu/isa/eu_opcodes.h"
#include "eu/isa/isa.h"
#include "eu/profile/profile_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A kernel in one process: where its counters are. */
struct instance {
    uint64_t process;
    uint32_t slot;
    const struct profile_kernel *kernel;
    const uint8_t *blocks; /* NULL: never compiled */
    unsigned stage, simd;  /* simd 0: not known */
};

/* A basic block of compiled code, while its instructions are walked. */
struct block {
    uint64_t entries, full;   /* with some, with all lanes on */
    uint64_t seen;            /* channels: profile_channels() */
    const uint64_t *bins[64]; /* by the number of that bit */
};

/* A thread's counters of a kernel. */
struct counters {
    const uint64_t *at;
    uint32_t units, arrays, bins;
};

struct reader {
    struct profile *profile;
    struct instance *instances;
    size_t count, capacity;
    uint8_t *records;
    size_t records_B;
    const char *dir;
    unsigned snapshot; /* number of the one to read; 0: the counters */
};

static const char *const stage_names[] = {
#define X(id, name) name,
    PROFILE_STAGES(X)
#undef X
};

/* ---- records ------------------------------------------------------------- */

static bool
add_instance(struct reader *r, struct instance new)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 64;
        void *p = realloc(r->instances, r->capacity * sizeof *r->instances);
        if (!p)
            return false;
        r->instances = p;
    }
    r->instances[r->count++] = new;
    return true;
}

static struct instance *
find_instance(const struct reader *r, const struct profile_record *record)
{
    for (size_t i = r->count; i--;)
        if (r->instances[i].process == record->process &&
            r->instances[i].slot == record->slot)
            return &r->instances[i];
    return NULL;
}

/* The child of fork() has the kernels that its parent has described so far. */
static bool
copy_instances(struct reader *r, uint64_t from, uint64_t to)
{
    size_t n = r->count;
    for (size_t i = 0; i < n; i++) {
        struct instance copy = r->instances[i];
        if (copy.process != from)
            continue;
        copy.process = to;
        if (!add_instance(r, copy))
            return false;
    }
    return true;
}

static uint32_t
arrays_of(uint32_t has)
{
    return has & PROFILE_HAS_MEMORY  ? PROFILE_MEMORY_ARRAYS
           : has & PROFILE_HAS_LANES ? PROFILE_LANES_ARRAYS
                                     : PROFILE_ARRAYS;
}

static uint32_t
counters_of(const struct profile_kernel *k)
{
    return profile_counters(k->arrays, k->bins, k->code_B / 8);
}

static bool
is_whole_kernel(const struct profile_kernel *k)
{
    return k->record.size_B >= sizeof *k && k->code_B % 8 == 0 &&
           k->code_B <= 4u << 20 && k->arrays >= arrays_of(k->has) &&
           k->arrays <= PROFILE_MEMORY_ARRAYS && k->bins <= PROFILE_BINS_MAX &&
           (k->bins || !(k->has & PROFILE_HAS_LANES)) &&
           k->record.size_B >= sizeof *k + k->code_B + k->code_B / 8;
}

static bool
take_record(struct reader *r, const struct profile_record *record)
{
    const struct profile_kernel *k = (const void *)record;
    struct instance *i;
    switch (record->kind) {
    case PROFILE_KERNEL:
        if (!is_whole_kernel(k))
            return true;
        r->profile->has_lanes |= (k->has & PROFILE_HAS_LANES) != 0;
        r->profile->has_memory |= (k->has & PROFILE_HAS_MEMORY) != 0;
        return add_instance(r, (struct instance){.process = record->process,
                                                 .slot = record->slot,
                                                 .kernel = k});
    case PROFILE_BLOCKS:
        i = find_instance(r, record);
        if (i && record->size_B >= sizeof *record + i->kernel->code_B / 8)
            i->blocks = (const uint8_t *)(record + 1);
        return true;
    case PROFILE_USE:
        i = find_instance(r, record);
        if (i && !i->simd && record->value % 8 < 6) {
            i->stage = record->value % 8;
            i->simd = (unsigned)(record->value / 8);
        }
        return true;
    case PROFILE_CHILD:
        return copy_instances(r, record->value, record->process);
    case PROFILE_FULL: r->profile->not_counted++; return true;
    default: return true;
    }
}

/* A record that a killed process has not written whole ends the file. */
static const char *
read_records(struct reader *r)
{
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, PROFILE_KERNELS_FORMAT, r->dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : strerror(errno);
    bool ok = !fstat(fd, &st) && (r->records = malloc((size_t)st.st_size + 8));
    ssize_t n;
    while (ok && r->records_B < (size_t)st.st_size &&
           (n = read(fd, r->records + r->records_B,
                     (size_t)st.st_size - r->records_B)) > 0)
        r->records_B += (size_t)n;
    close(fd);
    for (size_t at = 0;
         ok && at + sizeof(struct profile_record) <= r->records_B;) {
        const struct profile_record *record = (void *)(r->records + at);
        if (record->size_B < sizeof *record || record->size_B % 8 ||
            record->size_B > r->records_B - at)
            break;
        ok = take_record(r, record);
        at += record->size_B;
    }
    return ok ? NULL : "no memory";
}

/* ---- counters ------------------------------------------------------------ */

/* The kernel of equal content and use, or a new one. */
static struct profile_code *
find_code(struct profile *p, const struct instance *i)
{
    const char *stage = i->simd ? stage_names[i->stage] : "";
    for (unsigned n = 0; n < p->kernel_count; n++)
        if (p->kernels[n].hash == i->kernel->record.value &&
            p->kernels[n].simd == i->simd &&
            !strcmp(p->kernels[n].stage, stage))
            return &p->kernels[n];
    void *more = realloc(p->kernels,
                         (p->kernel_count + 1) * sizeof *p->kernels);
    if (!more)
        return NULL;
    p->kernels = more;
    struct profile_code *c = &p->kernels[p->kernel_count];
    *c = (struct profile_code){.hash = i->kernel->record.value,
                               .simd = i->simd,
                               .size_B = i->kernel->code_B};
    snprintf(c->stage, sizeof c->stage, "%s", stage);
    if (!profile_decode(c, i->kernel))
        return NULL;
    p->kernel_count++;
    return c;
}

static uint64_t
count_at(const struct counters *t, enum profile_array array, uint32_t u)
{
    return t->at[array * t->units + u];
}

static const uint64_t *
bins_at(const struct counters *t, enum profile_bins set, uint32_t u)
{
    return &t->at[profile_bin(set, t->arrays, t->bins, t->units, u)];
}

/* Returns the active lanes of compiled code, and adds bins if there are any. */
static uint64_t
add_block_lanes(struct block *b, const struct profile_insn *n,
                const struct counters *t, uint64_t *bins)
{
    uint64_t channels = profile_channels(n->chan_offset, n->exec_size);
    const uint64_t **first = &b->bins[__builtin_ctzll(channels)];
    uint64_t lanes = b->full * n->exec_size;
    if (!(b->seen & channels))
        *first = bins_at(t, PROFILE_BLOCK_BINS, n->offset_B / 8);
    b->seen |= channels;
    for (unsigned i = 0; i < t->bins; i++) {
        lanes += i * (*first)[i];
        if (bins)
            bins[i] += (*first)[i];
    }
    if (bins)
        bins[n->exec_size] += b->full;
    return lanes;
}

/* Bins may be NULL. */
static uint64_t
add_lanes(struct block *b, const struct profile_insn *n,
          const struct counters *t, uint64_t *bins)
{
    uint32_t u = n->offset_B / 8;
    const uint64_t *ran = bins_at(t, PROFILE_RAN_BINS, u);
    for (unsigned i = 0; bins && i < t->bins; i++)
        bins[i] += ran[i];
    return count_at(t, PROFILE_LANES, u) + add_block_lanes(b, n, t, bins);
}

static void
add_branch(struct profile_insn *n, uint64_t count, uint64_t lanes,
           const struct counters *t)
{
    struct profile_branch *b = &n->branch;
    uint32_t u = n->offset_B / 8;
    uint64_t contrary = count_at(t, PROFILE_CONTRARY, u);
    uint64_t divergent = count_at(t, PROFILE_DIVERGENT, u);
    uint64_t contrary_lanes = count_at(t, PROFILE_CONTRARY_LANES, u);
    uint64_t usual = count - contrary - divergent;
    b->divergent += divergent;
    b->all += n->usually_taken ? usual : contrary;
    b->none += n->usually_taken ? contrary : usual;
    b->lanes += n->usually_taken ? lanes - contrary_lanes : contrary_lanes;
}

static void
add_insn(struct profile_insn *n, struct block *b, const struct counters *t,
         uint64_t *bins)
{
    uint64_t count = count_at(t, PROFILE_RAN, n->offset_B / 8) + b->entries +
                     b->full;
    n->count += count;
    if (!t->bins)
        return;
    uint64_t lanes = n->fixed_lanes ? count * n->fixed_lanes
                                    : add_lanes(b, n, t, bins);
    n->lanes += lanes;
    if (n->has_branch)
        add_branch(n, count, lanes, t);
}

/* Adds a thread's counters to the instructions. */
static void
add_counts(struct profile_code *c, const struct instance *i,
           const uint64_t *counters)
{
    uint32_t units = i->kernel->code_B / 8, n = 0;
    struct counters t = {counters, units, i->kernel->arrays, i->kernel->bins};
    struct block b = {0};
    for (uint32_t u = 0; u < units && n < c->insn_count; u++) {
        if (i->blocks && i->blocks[u]) {
            b.entries = count_at(&t, PROFILE_ENTERED, u);
            b.full = t.bins ? count_at(&t, PROFILE_ENTERED_FULL, u) : 0;
            b.seen = 0;
        }
        if (c->insns[n].offset_B != u * 8)
            continue;
        add_insn(&c->insns[n], &b, &t,
                 c->bins ? c->bins + n * PROFILE_BINS_MAX : NULL);
        n++;
    }
    for (unsigned s = 0;
         i->kernel->has & PROFILE_HAS_MEMORY && s < c->send_count; s++)
        eu_send_counts_add(&c->sends[s].n, counters + c->sends[s].offset_B / 8,
                           units, c->sends[s].shape);
}

static const char *
read_counts(struct reader *r, const char *name, uint64_t process)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return strerror(errno);
    const char *why = NULL;
    uint64_t lost;
    if (pread(fd, &lost, sizeof lost, PROFILE_LOST_PAGES * sizeof lost) !=
        (ssize_t)sizeof lost)
        lost = 1;
    r->profile->lost_pages += lost;
    for (size_t i = 0; i < r->count && !why; i++) {
        const struct instance *in = &r->instances[i];
        if (in->process != process)
            continue;
        size_t size_B = counters_of(in->kernel) * sizeof(uint64_t);
        uint64_t *counters = malloc(size_B + 1);
        struct profile_code *c = counters ? find_code(r->profile, in) : NULL;
        if (!c)
            why = "no memory";
        else if (pread(fd, counters, size_B, in->slot * sizeof(uint64_t)) ==
                 (ssize_t)size_B)
            add_counts(c, in, counters);
        free(counters);
    }
    close(fd);
    return why;
}

/* Whether the process has counters in the snapshot. */
static bool
is_in_snapshot(const struct reader *r, uint64_t process)
{
    char path[4096];
    snprintf(path, sizeof path, PROFILE_SNAPSHOT_FORMAT, r->dir, r->snapshot,
             (unsigned long long)process, 0);
    return r->snapshot && !access(path, F_OK);
}

/* The files of a snapshot take the place of those of their process. */
static const char *
read_all_counts(struct reader *r)
{
    DIR *d = opendir(r->dir);
    const char *why = NULL;
    uint64_t process;
    unsigned n, snapshot;
    if (!d)
        return strerror(errno);
    for (struct dirent *e; !why && (e = readdir(d));) {
        if (sscanf(e->d_name, "snapshot.%u.%16" SCNx64 ".%u", &snapshot,
                   &process, &n) == 3) {
            if (snapshot != r->snapshot)
                continue;
        } else if (sscanf(e->d_name, "counts.%16" SCNx64 ".%u", &process, &n) !=
                       2 ||
                   is_in_snapshot(r, process)) {
            continue;
        }
        why = read_counts(r, e->d_name, process);
        r->profile->process_count += n == 0;
    }
    closedir(d);
    return why;
}

/* ---- units --------------------------------------------------------------- */

/* A copy of the code with the counts of one part alone; false: no memory. */
static bool
count_part(struct profile_code *c, const struct instance *in,
           const struct profile_part *part, const struct profile_pair *pairs)
{
    size_t size = counters_of(in->kernel);
    uint64_t *counters = calloc(size + 1, sizeof *counters);
    struct profile_insn *insns = calloc(c->insn_count + 1, sizeof *insns);
    for (uint32_t i = 0; counters && i < part->pair_count; i++)
        if (pairs[i].index < size)
            counters[pairs[i].index] = pairs[i].count;
    for (uint32_t i = 0; insns && i < c->insn_count; i++) {
        insns[i] = c->insns[i];
        insns[i].count = insns[i].lanes = 0;
        insns[i].branch = (struct profile_branch){0};
    }
    c->insns = insns;
    c->send_count = 0; /* they are the whole's, as are bins */
    c->bins = NULL;
    if (insns && counters)
        add_counts(c, in, counters);
    free(counters);
    return insns && counters;
}

static bool
sum_part(void *data, uint64_t process, const struct profile_part *part,
         const struct profile_pair *pairs, struct unit_part *sum)
{
    struct reader *r = data;
    const struct profile_record key = {.process = process, .slot = part->slot};
    const struct instance *in = find_instance(r, &key);
    const struct profile_code *found = in ? find_code(r->profile, in) : NULL;
    if (!found)
        return false;
    struct profile_code c = *found;
    bool ok = count_part(&c, in, part, pairs);
    *sum = (struct unit_part){.hash = c.hash,
                              .stage = in->simd ? in->stage : part->stage,
                              .simd = in->simd ? in->simd : part->simd};
    for (uint32_t i = 0; ok && i < c.insn_count; i++) {
        const struct profile_insn *n = &c.insns[i];
        sum->insn += n->count;
        sum->lanes += n->fixed_lanes ? 0 : n->lanes;
        sum->channels += n->fixed_lanes ? 0 : n->count * n->exec_size;
    }
    sum->threads = ok && c.insn_count ? c.insns[0].count : 0;
    free(c.insns);
    return ok && sum->stage < UNIT_STAGES;
}

static bool
collect_histograms(struct profile_code *k)
{
    bool ok = true, begins = true;
    for (uint32_t i = 0; ok && k->bins && i < k->insn_count; i++) {
        const struct profile_insn *n = &k->insns[i];
        struct lanes_histogram h = {.offset_B = n->offset_B,
                                    .chan_offset = n->chan_offset,
                                    .exec_size = n->exec_size};
        begins |= n->begins_block;
        if (n->fixed_lanes)
            continue;
        memcpy(h.bins, k->bins + i * PROFILE_BINS_MAX, sizeof h.bins);
        ok = lanes_add(&k->histograms, &h, begins);
        begins = false;
    }
    free(k->bins);
    k->bins = NULL;
    return ok;
}

const char *
profile_read(struct profile *p, const char *dir, unsigned snapshot)
{
    struct reader r = {.profile = p, .dir = dir, .snapshot = snapshot};
    *p = (struct profile){0};
    const char *why = read_records(&r);
    if (!why)
        why = read_all_counts(&r);
    if (!why && !snapshot)
        why = units_read(&p->units, dir, sum_part, &r);
    p->units.has_lanes = p->has_lanes;
    for (unsigned i = 0; i < p->kernel_count; i++)
        if (!collect_histograms(&p->kernels[i]) && !why)
            why = "no memory";
    free(r.records);
    free(r.instances);
    profile_finish(p);
    return why;
}
