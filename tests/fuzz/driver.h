/* driver.h: inputs of a fuzz target without libFuzzer, and new ones made from
 * them (mutate.c). One thread. */
#ifndef FUZZ_DRIVER_H
#define FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#define INPUT_MAX_B ((size_t)1 << 20)

struct corpus {
    struct {
        uint8_t *data;
        size_t size_B;
    } * inputs;
    size_t count;
};

/* Copies the input; out of memory, it is left out. */
void corpus_add(struct corpus *corpus, const uint8_t *data, size_t size_B);
/* Writes input i to out, INPUT_MAX_B long; its size. */
size_t corpus_copy(const struct corpus *corpus, size_t i, uint8_t *out);

struct mutator {
    uint64_t state;
    const struct corpus *corpus;
};

/* Writes an input of the corpus with a few random changes; its size. */
size_t mutant_make(struct mutator *m, uint8_t *out);

#endif
