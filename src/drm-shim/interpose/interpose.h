/* interpose.h: wrappers of libc functions.
 *
 * The C name is the library's, the assembler name libc's, so that libc's
 * declaration does not clash with the definition. This also keeps open and
 * open64 apart when the compiler's command line makes them one. shim.map lists
 * every symbol defined this way. */
#ifndef DRM_SHIM_INTERPOSE_INTERPOSE_H
#define DRM_SHIM_INTERPOSE_INTERPOSE_H

#define INTERPOSE(ret, name, symbol, args)            \
    ret name args __asm__(symbol)                     \
        __attribute__((visibility("default"), used)); \
    ret name args

/* libc's own function of that name, looked up once; never NULL. */
void *interpose_real(void **slot, const char *symbol);

#define REAL(type, symbol)                                \
    ({                                                    \
        static void *slot_;                               \
        (type)(uintptr_t) interpose_real(&slot_, symbol); \
    })

#endif
