// What OpenSSL offers as macros and callbacks, which Swift cannot use.
#include <COpenSSL.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// OpenSSL would ask on the terminal, and a fleet has none.
static int no_passphrase(char *buffer, int size, int writing, void *unused) {
    (void)buffer, (void)size, (void)writing, (void)unused;
    return 0;
}

static void write_date(const ASN1_TIME *moment, char *text, size_t size) {
    struct tm parts;
    if (moment != NULL && ASN1_TIME_to_tm(moment, &parts) == 1) {
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
}

static void append(char *list, size_t size, const char *name, int length) {
    const size_t used = strlen(list);
    const int written =
        snprintf(list + used, size - used, "%s%.*s", used > 0 ? ", " : "", length, name);
    // A name that is cut in its middle would be another name.
    if (written < 0 || (size_t)written >= size - used) {
        list[used] = 0;
    }
}

static void append_address(char *list, size_t size, const ASN1_OCTET_STRING *address) {
    const unsigned char *bytes = ASN1_STRING_get0_data(address);
    char text[48] = "";
    if (ASN1_STRING_length(address) == 4) {
        snprintf(text, sizeof text, "%d.%d.%d.%d", bytes[0], bytes[1], bytes[2], bytes[3]);
    } else if (ASN1_STRING_length(address) == 16) {
        size_t used = 0;
        for (int group = 0; group < 16; group += 2) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%x", group > 0 ? ":" : "",
                                     bytes[group] << 8 | bytes[group + 1]);
        }
    }
    append(list, size, text, (int)strlen(text));
}

static void write_names(X509 *certificate, char *list, size_t size) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int index = 0; index < sk_GENERAL_NAME_num(names); ++index) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
        if (name->type == GEN_DNS) {
            append(list, size, (const char *)ASN1_STRING_get0_data(name->d.dNSName),
                   ASN1_STRING_length(name->d.dNSName));
        } else if (name->type == GEN_IPADD) {
            append_address(list, size, name->d.iPAddress);
        }
    }
    GENERAL_NAMES_free(names);
    if (list[0] == 0) {
        // Without alternative names the subject's common name counts for hosts.
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, list, (int)size);
    }
}

// Keeps what is wrong with a chain; the verdict itself is OpenSSL's.
static int note_refusal(int is_good, X509_STORE_CTX *chain) {
    if (is_good) {
        return is_good;
    }
    SSL *session = X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct copenssl_refusal *refusal = SSL_get_app_data(session);
    refusal->code = X509_STORE_CTX_get_error(chain);
    X509 *certificate = X509_STORE_CTX_get_current_cert(chain);
    if (certificate != NULL) {
        write_date(X509_get0_notBefore(certificate), refusal->from, sizeof refusal->from);
        write_date(X509_get0_notAfter(certificate), refusal->until, sizeof refusal->until);
        X509_NAME_oneline(X509_get_issuer_name(certificate), refusal->issuer, sizeof refusal->issuer);
        refusal->names[0] = 0;
        write_names(certificate, refusal->names, sizeof refusal->names);
    }
    return is_good;
}

SSL_CTX *copenssl_client_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) {
        return NULL;
    }
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, note_refusal);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    // A write takes what the socket has room for, and goes on from wherever the bytes are by then.
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return context;
}

int copenssl_authorities(SSL_CTX *context) {
    return sk_X509_OBJECT_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(context)));
}

SSL *copenssl_session(SSL_CTX *context, int socket, const char *name, struct copenssl_refusal *refusal) {
    SSL *session = SSL_new(context);
    if (session == NULL) {
        return NULL;
    }
    *refusal = (struct copenssl_refusal){.code = X509_V_OK};
    SSL_set_app_data(session, refusal);
    SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    X509_VERIFY_PARAM *wanted = SSL_get0_param(session);
    // An address is looked for among a certificate's addresses, a name among its names; SNI is for names alone.
    const int is_named = X509_VERIFY_PARAM_set1_ip_asc(wanted, name) == 1 ||
                         (name[0] != 0 && X509_VERIFY_PARAM_set1_host(wanted, name, 0) == 1 &&
                          SSL_set_tlsext_host_name(session, name) == 1);
    ERR_clear_error();
    if (!is_named || SSL_set_fd(session, socket) != 1) {
        SSL_free(session);
        return NULL;
    }
    SSL_set_connect_state(session);
    return session;
}
