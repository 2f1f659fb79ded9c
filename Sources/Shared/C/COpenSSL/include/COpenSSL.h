// TLS, by OpenSSL 3. Only the module TLS imports this.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stddef.h>

/// Why a server's certificate was refused. To be kept as long as the session that it was given to.
struct copenssl_refusal {
    /// X509_V_ERR_…; X509_V_OK as long as nothing is wrong.
    int code;
    /// When the certificate in question is or was valid, as RFC 3339; empty when it does not say.
    char from[24];
    char until[24];
    /// Whom it names as its issuer, and what it is valid for, comma-separated; cut off where there is no room.
    char issuer[160];
    char names[320];
};

/// A client's context that trusts nobody yet, accepts TLS 1.2 and later, and never asks for a passphrase.
/// NULL without memory.
SSL_CTX *copenssl_client_context(void);

/// How many certificate authorities a context trusts.
int copenssl_authorities(SSL_CTX *context);

/// A session over a connected socket with a server of this name, an IP address or a host's: its certificate has to
/// be valid for that name. NULL without memory, or when the name cannot be one.
SSL *copenssl_session(SSL_CTX *context, int socket, const char *name, struct copenssl_refusal *refusal);

#endif
