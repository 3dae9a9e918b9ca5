/* sha1.h: SHA-1, with which Mesa names code in its logs. Not for security. */
#ifndef CLI_SYMBOLS_SHA1_H
#define CLI_SYMBOLS_SHA1_H

#include <stddef.h>

/* In 40 hexadecimal digits, terminated. */
void sha1_text(char text[41], const void *data, size_t size_B);

#endif
