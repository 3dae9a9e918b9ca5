/* transpose.h: transposes a 4x4 matrix of floats. Pure; any thread. */
#ifndef BASE_TRANSPOSE_H
#define BASE_TRANSPOSE_H

typedef float base_vec4 __attribute__((vector_size(16)));

static inline void
transpose_4x4(base_vec4 r[4])
{
    base_vec4 lo0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    base_vec4 hi0 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    base_vec4 lo1 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    base_vec4 hi1 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(lo0, lo1, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(lo0, lo1, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(hi0, hi1, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(hi0, hi1, 2, 3, 6, 7);
}

#endif
