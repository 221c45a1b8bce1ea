# For scripts that build with the trait Encryption: installs OpenSSL's headers if they are missing. Apple's systems need none.
[ "$(uname)" = Darwin ] ||
    PYTHONPATH=scripts python3 -m engine.system openssl/crypto.h crypto libssl-dev "for encrypted databases"
