// OpenSSL 3 as found by pkg-config: Debian's libssl-dev.
#ifndef ROWAN_COPENSSL_H
#define ROWAN_COPENSSL_H

#include <openssl/ssl.h>

#endif
