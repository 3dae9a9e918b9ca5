/* interpose.h: defining a libc symbol without fighting libc's declaration of
 * it: the C name is ours, the assembler name is libc's. This also keeps
 * open and open64 apart when the compiler's command line makes them one.
 * shim.map lists every symbol defined this way. */
#ifndef SHIM_INTERPOSE_H
#define SHIM_INTERPOSE_H

#define INTERPOSE(ret, name, symbol, args)            \
    ret name args __asm__(symbol)                     \
        __attribute__((visibility("default"), used)); \
    ret name args

/* libc's own function of that name, looked up once; NULL does not happen. */
void *interpose_real(void **slot, const char *symbol);

#define REAL(type, symbol)                                \
    ({                                                    \
        static void *slot_;                               \
        (type)(uintptr_t) interpose_real(&slot_, symbol); \
    })

#endif
