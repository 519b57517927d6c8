#pragma once

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Macros with casts, which Swift does not import.
static inline int coordd_gcm_get_tag(EVP_CIPHER_CTX *context, int count, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, count, tag);
}
static inline int coordd_gcm_set_tag(EVP_CIPHER_CTX *context, int count, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, count, tag);
}

// TLS: macros over SSL_CTX_ctrl and SSL_ctrl, which Swift does not import either.
static inline int coordd_tls_set_versions(SSL_CTX *context, int oldest, int newest) {
    return SSL_CTX_set_min_proto_version(context, oldest) == 1 &&
           SSL_CTX_set_max_proto_version(context, newest) == 1;
}
static inline int coordd_tls_set_groups(SSL_CTX *context, const char *names) {
    return SSL_CTX_set1_groups_list(context, names) == 1;
}
// The options are numbers behind a macro with a cast.
static inline void coordd_tls_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
}
static inline void coordd_tls_set_modes(SSL_CTX *context, long modes) {
    SSL_CTX_set_mode(context, modes);
}
static inline void coordd_tls_keep_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline int coordd_tls_add_chain(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}
static inline int coordd_tls_set_server_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name) == 1;
}
