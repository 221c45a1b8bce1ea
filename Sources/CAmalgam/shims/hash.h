/* FNV-1a: <http://www.isthe.com/chongo/tech/comp/fnv/>. It takes some nanoseconds for short strings, and no memory. */

static const uint64_t amalgam_hash_start = 14695981039346656037u;

/* Continues a hash with more bytes. */
static uint64_t amalgam_hash(uint64_t hash, const void *bytes, int64_t count) {
    const uint8_t *byte = bytes;
    for (int64_t index = 0; index < count; index++) hash = (hash ^ byte[index]) * 1099511628211u;
    return hash;
}

/* The hash of a key of a table, all of whose bits depend on all bytes. */
static uint32_t amalgam_key_hash(const void *bytes, int count) {
    const uint64_t hash = amalgam_hash(amalgam_hash_start, bytes, count);
    return (uint32_t)(hash ^ (hash >> 32));
}
