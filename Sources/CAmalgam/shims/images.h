/*
** The images of rows: see include/amalgam_images.h.
**
** An image is the concatenation of the values of the stored columns. A value is its type (SQLITE_INTEGER, …) in one
** byte, followed by 8 bytes of a number, or by 4 bytes of length and the bytes of TEXT, in the encoding of the database,
** or a BLOB. Numbers and lengths have the byte order of the processor. So two values are equal, bit for bit, if their
** bytes are equal.
**
** The place of a row is its rowid, or in a WITHOUT ROWID table, the image of its primary key. The first change of a place
** tells what the place contained before. Later changes, and rollbacks, don't alter that.
*/

typedef struct amalgam_imaged_table {
    char *name;
    const Table *table; /* for one state of the schemas */
    const Index *key;   /* NULL if the place is the rowid */
    char **columns;     /* the names of the stored columns; one allocation */
    int column_count;
    int is_included;
    int is_altered; /* the names have changed, not only by additional columns at the end */
} amalgam_imaged_table;

typedef struct amalgam_imaged_place {
    int table;
    int column_count;
    int is_present;
    uint32_t hash;
    int64_t rowid;
    size_t offset; /* of the key, which the values follow */
    size_t key_length;
    size_t length; /* of the values */
} amalgam_imaged_place;

struct amalgam_images {
    amalgam_hooks *hooks;
    amalgam_row_listener listener;
    void *owner;
    amalgam_images_include include;
    amalgam_imaged_table *tables;
    int table_count;
    uint64_t stamp;
    amalgam_imaged_place *places;
    int place_count;
    int place_capacity;
    /* A hash table of the indexes of places, plus one. Its capacity is a power of two. */
    int *slots;
    int slot_count;
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    int is_full; /* memory was exhausted */
};

static void amalgam_images_record(
    void *images, sqlite3 *db, int operation, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);

amalgam_images *amalgam_images_create(amalgam_hooks *hooks, void *owner, amalgam_images_include include) {
    amalgam_images *images = sqlite3_malloc64(sizeof *images);
    if (images == 0) return 0;
    memset(images, 0, sizeof *images);
    images->hooks = hooks;
    images->listener.row_will_change = amalgam_images_record;
    images->listener.context = images;
    images->listener.reads_bytes = 1;
    images->owner = owner;
    images->include = include;
    amalgam_add_row_listener(hooks, &images->listener);
    /* Statements compiled with an empty slot may use the truncate optimization, which reports no rows. */
    sqlite3ExpirePreparedStatements(hooks->db, 0);
    return images;
}

void amalgam_images_stop(amalgam_images *images) { amalgam_remove_row_listener(&images->listener); }

void amalgam_images_free(amalgam_images *images) {
    amalgam_remove_row_listener(&images->listener);
    for (int i = 0; i < images->table_count; i++) {
        sqlite3_free(images->tables[i].name);
        sqlite3_free(images->tables[i].columns);
    }
    sqlite3_free(images->tables);
    sqlite3_free(images->places);
    sqlite3_free(images->slots);
    sqlite3_free(images->bytes);
    sqlite3_free(images);
}

/* ---- Values -------------------------------------------------------------------------------- */

static size_t amalgam_image_value_size(const Mem *value) {
    if (value->flags & MEM_Null) return 1;
    if (value->flags & (MEM_Int | MEM_Real | MEM_IntReal)) return 9;
    return 5 + (size_t)value->n;
}

static uint8_t *amalgam_image_write_value(uint8_t *end, const Mem *value) {
    if (value->flags & MEM_Null) {
        *end++ = SQLITE_NULL;
    } else if (value->flags & MEM_Int) {
        *end++ = SQLITE_INTEGER;
        memcpy(end, &value->u.i, 8);
        end += 8;
    } else if (value->flags & (MEM_Real | MEM_IntReal)) {
        double real = amalgam_real(value);
        *end++ = SQLITE_FLOAT;
        memcpy(end, &real, 8);
        end += 8;
    } else {
        uint32_t length = (uint32_t)value->n;
        *end++ = (value->flags & MEM_Str) ? SQLITE_TEXT : SQLITE_BLOB;
        memcpy(end, &length, 4);
        if (length > 0) memcpy(end + 4, value->z, length);
        end += 4 + length;
    }
    return end;
}

size_t amalgam_image_length(const uint8_t *value) {
    uint32_t length;
    switch (value[0]) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return 9;
    case SQLITE_TEXT:
    case SQLITE_BLOB: memcpy(&length, value + 1, 4); return 5 + (size_t)length;
    default: return 1;
    }
}

int amalgam_image_bind(sqlite3_stmt *statement, int parameter, const uint8_t *value) {
    int64_t integer;
    double real;
    uint32_t length;
    const u8 encoding = ENC(((Vdbe *)statement)->db);
    switch (value[0]) {
    case SQLITE_INTEGER:
        memcpy(&integer, value + 1, 8);
        return sqlite3_bind_int64(statement, parameter, integer);
    case SQLITE_FLOAT:
        memcpy(&real, value + 1, 8);
        return sqlite3_bind_double(statement, parameter, real);
    case SQLITE_TEXT:
        memcpy(&length, value + 1, 4);
        return sqlite3_bind_text64(
            statement, parameter, (const char *)value + 5, length, SQLITE_TRANSIENT, encoding);
    case SQLITE_BLOB:
        memcpy(&length, value + 1, 4);
        return sqlite3_bind_blob64(statement, parameter, value + 5, length, SQLITE_TRANSIENT);
    default: return sqlite3_bind_null(statement, parameter);
    }
}

/* Reads a value of the current row, with all bytes of a BLOB that ends with implicit zeros. */
static const Mem *amalgam_image_column_value(sqlite3_stmt *statement, int column) {
    Mem *value = sqlite3_column_value(statement, column);
    if (value->flags & MEM_Zero) sqlite3_value_blob(value);
    return value;
}

int64_t amalgam_image_row_size(sqlite3_stmt *statement, int first, int count) {
    int64_t size = 0;
    for (int i = 0; i < count; i++) {
        const Mem *value = amalgam_image_column_value(statement, first + i);
        if (value->flags & MEM_Zero) return -1;
        size += (int64_t)amalgam_image_value_size(value);
    }
    return size;
}

void amalgam_image_row_write(sqlite3_stmt *statement, int first, int count, uint8_t *bytes) {
    for (int i = 0; i < count; i++) {
        bytes = amalgam_image_write_value(bytes, amalgam_image_column_value(statement, first + i));
    }
}

/* ---- Tables -------------------------------------------------------------------------------- */

static int amalgam_is_stored(const Table *table, int column) {
    return (table->aCol[column].colFlags & COLFLAG_GENERATED) == 0;
}

/* The names of the stored columns. */
static char **amalgam_image_columns(const Table *table, int *count) {
    size_t size = 0;
    *count = 0;
    for (int i = 0; i < table->nCol; i++) {
        if (!amalgam_is_stored(table, i)) continue;
        size += sizeof(char *) + strlen(table->aCol[i].zCnName) + 1;
        *count += 1;
    }
    char **columns = sqlite3_malloc64(size + 1);
    if (columns == 0) return 0;
    char *end = (char *)(columns + *count);
    for (int i = 0, n = 0; i < table->nCol; i++) {
        if (!amalgam_is_stored(table, i)) continue;
        size_t length = strlen(table->aCol[i].zCnName) + 1;
        memcpy(end, table->aCol[i].zCnName, length);
        columns[n++] = end;
        end += length;
    }
    return columns;
}

/* Describes a table whose rows change for the first time since the start, or since a change of the schema. */
static int amalgam_images_describe(amalgam_imaged_table *described, const Table *table) {
    int count;
    char **columns = amalgam_image_columns(table, &count);
    if (columns == 0) return 0;
    for (int i = 0; i < described->column_count; i++) {
        if (i >= count || strcmp(columns[i], described->columns[i]) != 0) described->is_altered = 1;
    }
    sqlite3_free(described->columns);
    described->columns = columns;
    described->column_count = count;
    described->table = table;
    described->key = HasRowid(table) ? 0 : sqlite3PrimaryKeyIndex((Table *)table);
    return 1;
}

static int amalgam_images_add_table(amalgam_images *images, const Table *table) {
    size_t size = sizeof(amalgam_imaged_table) * ((size_t)images->table_count + 1);
    amalgam_imaged_table *tables = sqlite3_realloc64(images->tables, size);
    if (tables == 0) return -1;
    images->tables = tables;
    amalgam_imaged_table *added = &tables[images->table_count];
    memset(added, 0, sizeof *added);
    added->name = sqlite3_mprintf("%s", table->zName);
    if (added->name == 0 || !amalgam_images_describe(added, table)) {
        sqlite3_free(added->name);
        return -1;
    }
    added->is_included = images->include(images->owner, table->zName, (table->tabFlags & TF_Shadow) != 0);
    return images->table_count++;
}

/* Returns the number of a table, or -1 if memory is exhausted. */
static int amalgam_images_table(amalgam_images *images, const Table *table) {
    uint64_t stamp = amalgam_schema_now(images->hooks).schemas;
    if (images->stamp != stamp) {
        for (int i = 0; i < images->table_count; i++) images->tables[i].table = 0;
        images->stamp = stamp;
    }
    for (int i = 0; i < images->table_count; i++) {
        if (images->tables[i].table == table) return i;
    }
    for (int i = 0; i < images->table_count; i++) {
        if (sqlite3_stricmp(images->tables[i].name, table->zName) != 0) continue;
        return amalgam_images_describe(&images->tables[i], table) ? i : -1;
    }
    return amalgam_images_add_table(images, table);
}

/* ---- Places -------------------------------------------------------------------------------- */

static void amalgam_images_append(amalgam_images *images, const Mem *value) {
    size_t needed = images->length + amalgam_image_value_size(value);
    if (needed > images->capacity) {
        size_t capacity = needed + needed / 2 + 1024;
        uint8_t *bytes = sqlite3_realloc64(images->bytes, capacity);
        if (bytes == 0) {
            images->is_full = 1;
            return;
        }
        images->bytes = bytes;
        images->capacity = capacity;
    }
    amalgam_image_write_value(images->bytes + images->length, value);
    images->length = needed;
}

static void amalgam_images_append_change(amalgam_images *images, sqlite3 *db, int column, int is_new) {
    sqlite3_value *value = 0;
    int code = is_new ? sqlite3_preupdate_new(db, column, &value) : sqlite3_preupdate_old(db, column, &value);
    if (!amalgam_preupdate_succeeds(db, code) || value == 0) {
        images->is_full = 1;
        return;
    }
    if (value->flags & MEM_Zero) sqlite3_value_blob(value);
    if (value->flags & MEM_Zero) {
        images->is_full = 1;
        return;
    }
    if (is_new && db->pPreUpdate->pTab->aCol[column].affinity == SQLITE_AFF_REAL
        && (value->flags & (MEM_Int | MEM_IntReal))) {
        /* Sessions read the value later, and expect it unchanged. */
        Mem real = { .flags = MEM_Real, .u.r = (double)value->u.i };
        amalgam_images_append(images, &real);
        return;
    }
    amalgam_images_append(images, value);
}

static uint32_t amalgam_image_hash(int table, int64_t rowid, const uint8_t *key, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)rowid ^ ((uint64_t)table << 48);
    for (size_t i = 0; i < length; i++) hash = (hash ^ key[i]) * 0x100000001b3u;
    hash *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

/* Returns the slot of a place, which is empty if the place isn't known. */
static int *amalgam_images_slot(amalgam_images *images, const amalgam_imaged_place *wanted, const uint8_t *key) {
    uint32_t mask = (uint32_t)images->slot_count - 1;
    for (uint32_t i = wanted->hash & mask;; i = (i + 1) & mask) {
        int *slot = &images->slots[i];
        if (*slot == 0) return slot;
        const amalgam_imaged_place *place = &images->places[*slot - 1];
        if (place->hash == wanted->hash && place->table == wanted->table && place->rowid == wanted->rowid
            && place->key_length == wanted->key_length
            && (wanted->key_length == 0 || memcmp(images->bytes + place->offset, key, wanted->key_length) == 0)) {
            return slot;
        }
    }
}

/* Makes room for a further place. Returns 0 if memory is exhausted. */
static int amalgam_images_reserve(amalgam_images *images) {
    if (images->place_count == images->place_capacity) {
        int capacity = images->place_capacity * 2 + 16;
        void *places = sqlite3_realloc64(images->places, sizeof(amalgam_imaged_place) * (size_t)capacity);
        if (places == 0) return 0;
        images->places = places;
        images->place_capacity = capacity;
    }
    if (images->slot_count > images->place_count * 2) return 1;
    int count = images->slot_count == 0 ? 64 : images->slot_count * 2;
    int *slots = sqlite3_malloc64(sizeof(int) * (size_t)count);
    if (slots == 0) return 0;
    memset(slots, 0, sizeof(int) * (size_t)count);
    sqlite3_free(images->slots);
    images->slots = slots;
    images->slot_count = count;
    for (int i = 0; i < images->place_count; i++) {
        uint32_t slot = images->places[i].hash & ((uint32_t)count - 1);
        while (slots[slot] != 0) slot = (slot + 1) & ((uint32_t)count - 1);
        slots[slot] = i + 1;
    }
    return 1;
}

/* Adds a place that changes for the first time: the row that is about to change, or no row. */
static void amalgam_images_touch(
    amalgam_images *images, sqlite3 *db, int number, sqlite3_int64 rowid, int is_present
) {
    const amalgam_imaged_table *table = &images->tables[number];
    amalgam_imaged_place place = { .table = number, .is_present = is_present, .offset = images->length };
    place.column_count = table->column_count;
    if (table->key == 0) {
        place.rowid = rowid;
    } else {
        for (int i = 0; i < table->key->nKeyCol; i++) {
            amalgam_images_append_change(images, db, table->key->aiColumn[i], !is_present);
        }
    }
    if (images->is_full || !amalgam_images_reserve(images)) {
        images->is_full = 1;
        images->length = place.offset;
        return;
    }
    place.key_length = images->length - place.offset;
    const uint8_t *key = images->bytes + (place.key_length == 0 ? 0 : place.offset);
    place.hash = amalgam_image_hash(number, place.rowid, place.key_length == 0 ? 0 : key, place.key_length);
    int *slot = amalgam_images_slot(images, &place, key);
    if (*slot != 0) {
        images->length = place.offset;
        return;
    }
    for (int i = 0; is_present && i < table->table->nCol; i++) {
        if (amalgam_is_stored(table->table, i)) amalgam_images_append_change(images, db, i, 0);
    }
    place.length = images->length - place.offset - place.key_length;
    if (images->is_full) {
        images->length = place.offset;
        return;
    }
    images->places[images->place_count++] = place;
    *slot = images->place_count;
}

static void amalgam_images_record(
    void *context, sqlite3 *db, int operation, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid
) {
    amalgam_images *images = context;
    const Table *changed = db->pPreUpdate->pTab;
    if (changed->pSchema != db->aDb[0].pSchema) return;
    images->is_full = 0;
    int number = amalgam_images_table(images, changed);
    if (number < 0) images->is_full = 1;
    if (number >= 0 && images->tables[number].is_included) {
        int has_rowid = images->tables[number].key == 0;
        if (operation != SQLITE_INSERT) amalgam_images_touch(images, db, number, old_rowid, 1);
        if (!images->is_full && (operation == SQLITE_INSERT
            || (operation == SQLITE_UPDATE && (!has_rowid || old_rowid != new_rowid)))) {
            amalgam_images_touch(images, db, number, new_rowid, 0);
        }
    }
    /* A change that can't be recorded must not be made: the statement fails. */
    if (images->is_full) sqlite3OomFault(db);
}

/* ---- Reading ------------------------------------------------------------------------------- */

int amalgam_images_count(const amalgam_images *images) { return images->place_count; }

amalgam_image amalgam_images_get(const amalgam_images *images, int index) {
    const amalgam_imaged_place *place = &images->places[index];
    return (amalgam_image){
        .table = place->table,
        .column_count = place->column_count,
        .is_present = place->is_present,
        .rowid = place->rowid,
        .key = images->bytes + place->offset,
        .key_length = place->key_length,
        .values = images->bytes + place->offset + place->key_length,
        .length = place->length,
    };
}

const char *amalgam_images_table_name(const amalgam_images *images, int table) {
    return table < images->table_count ? images->tables[table].name : 0;
}

int amalgam_images_is_altered(const amalgam_images *images, int table) { return images->tables[table].is_altered; }

const char *amalgam_images_column_name(const amalgam_images *images, int table, int column) {
    const amalgam_imaged_table *imaged = &images->tables[table];
    return column < imaged->column_count ? imaged->columns[column] : 0;
}

/* ---- The schema ---------------------------------------------------------------------------- */

static const char *amalgam_image_rowid_name(const Table *table) {
    static const char *const names[] = { "rowid", "_rowid_", "oid" };
    for (int n = 0; n < 3; n++) {
        int is_free = 1;
        for (int i = 0; i < table->nCol; i++) {
            if (sqlite3_stricmp(table->aCol[i].zCnName, names[n]) == 0) is_free = 0;
        }
        if (is_free) return names[n];
    }
    return table->iPKey < 0 ? 0 : table->aCol[table->iPKey].zCnName;
}

int amalgam_image_table_facts(sqlite3 *db, const char *name, amalgam_image_table *facts) {
    const Table *table = sqlite3FindTable(db, name, "main");
    if (table == 0 || !IsOrdinaryTable(table)) return 0;
    facts->column_count = table->nCol;
    facts->has_rowid = HasRowid(table);
    facts->rowid_column = table->iPKey;
    facts->rowid_name = amalgam_image_rowid_name(table);
    const Index *key = facts->has_rowid ? 0 : sqlite3PrimaryKeyIndex((Table *)table);
    facts->key_count = key == 0 ? 0 : key->nKeyCol;
    facts->encoding = ENC(db);
    return 1;
}

amalgam_image_column amalgam_image_table_column(sqlite3 *db, const char *name, int index) {
    const Table *table = sqlite3FindTable(db, name, "main");
    const Column *column = &table->aCol[index];
    return (amalgam_image_column){
        .name = column->zCnName,
        .is_stored = amalgam_is_stored(table, index),
        .is_primary_key = (column->colFlags & COLFLAG_PRIMKEY) != 0,
    };
}

const char *amalgam_image_table_key(sqlite3 *db, const char *name, int index, const char **collation) {
    const Table *table = sqlite3FindTable(db, name, "main");
    const Index *key = sqlite3PrimaryKeyIndex((Table *)table);
    *collation = key->azColl[index];
    return table->aCol[key->aiColumn[index]].zCnName;
}

int64_t amalgam_image_table_names(sqlite3 *db, void *owner, void (*add)(void *owner, const char *table)) {
    amalgam_enter_schemas(db);
    int64_t version = amalgam_schema_version_in_memory(db);
    const HashElem *element = version < 0 ? 0 : sqliteHashFirst(&db->aDb[0].pSchema->tblHash);
    for (; element != 0; element = sqliteHashNext(element)) {
        const Table *table = sqliteHashData(element);
        if (IsOrdinaryTable(table)) add(owner, table->zName);
    }
    amalgam_leave_schemas(db);
    return version;
}

static void amalgam_image_read_value(sqlite3 *db, Mem *value, const uint8_t *bytes) {
    uint32_t length = 0;
    memset(value, 0, sizeof *value);
    value->db = db;
    value->enc = ENC(db);
    switch (bytes[0]) {
    case SQLITE_INTEGER:
        value->flags = MEM_Int;
        memcpy(&value->u.i, bytes + 1, 8);
        break;
    case SQLITE_FLOAT:
        value->flags = MEM_Real;
        memcpy(&value->u.r, bytes + 1, 8);
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        memcpy(&length, bytes + 1, 4);
        value->flags = MEM_Static | (bytes[0] == SQLITE_TEXT ? MEM_Str : MEM_Blob);
        value->n = (int)length;
        value->z = (char *)bytes + 5;
        break;
    default: value->flags = MEM_Null;
    }
}

int amalgam_image_compare_keys(sqlite3 *db, const char *name, const uint8_t *a, const uint8_t *b) {
    const Table *table = sqlite3FindTable(db, name, "main");
    const Index *key = sqlite3PrimaryKeyIndex((Table *)table);
    for (int i = 0; i < key->nKeyCol; i++) {
        Mem x, y;
        amalgam_image_read_value(db, &x, a);
        amalgam_image_read_value(db, &y, b);
        CollSeq *collation = sqlite3FindCollSeq(db, ENC(db), key->azColl[i], 0);
        int order = sqlite3MemCompare(&x, &y, collation);
        sqlite3VdbeMemRelease(&x);
        sqlite3VdbeMemRelease(&y);
        if (order != 0) return order;
        a += amalgam_image_length(a);
        b += amalgam_image_length(b);
    }
    return 0;
}

int64_t amalgam_image_defaults(sqlite3 *db, const char *name, int column, uint8_t *bytes, int64_t capacity) {
    const Table *table = sqlite3FindTable(db, name, "main");
    sqlite3_value *value = 0;
    const Expr *expression = sqlite3ColumnExpr((Table *)table, &table->aCol[column]);
    int code = SQLITE_OK;
    if (expression != 0) code = sqlite3ValueFromExpr(db, expression, ENC(db), (u8)table->aCol[column].affinity, &value);
    /* SQLite converts the default of a REAL column when it reads a row without the column (OP_RealAffinity). */
    const int is_real = value != 0 && table->aCol[column].affinity == SQLITE_AFF_REAL;
    if (is_real && (value->flags & (MEM_Int | MEM_IntReal)) != 0) sqlite3VdbeMemRealify(value);
    Mem null = { .flags = MEM_Null };
    const Mem *read = value == 0 ? &null : value;
    int64_t size = code != SQLITE_OK ? -1 : (int64_t)amalgam_image_value_size(read);
    if (size >= 0 && size <= capacity) amalgam_image_write_value(bytes, read);
    sqlite3ValueFree(value);
    return size;
}

/* ---- Foreign keys -------------------------------------------------------------------------- */

amalgam_foreign_keys amalgam_images_begin_foreign_keys(sqlite3 *db) {
    const u64 wanted = SQLITE_FkNoAction | SQLITE_DeferFKs;
    amalgam_foreign_keys previous = { .flags = db->flags & wanted, .violations = amalgam_deferred_violations(db) };
    if ((db->flags & SQLITE_ForeignKeys) == 0) return previous;
    db->flags |= wanted;
    /* SQLite caches the programs of foreign key actions in the schema. As for changesets, it reads the schema again. */
    if ((previous.flags & SQLITE_FkNoAction) == 0) amalgam_schema_outdate(db);
    sqlite3ExpirePreparedStatements(db, 0);
    return previous;
}

int64_t amalgam_images_end_foreign_keys(sqlite3 *db, amalgam_foreign_keys previous) {
    const u64 wanted = SQLITE_FkNoAction | SQLITE_DeferFKs;
    int64_t violations = amalgam_deferred_violations(db) - previous.violations;
    if ((db->flags & SQLITE_ForeignKeys) == 0) return violations;
    db->flags = (db->flags & ~wanted) | previous.flags;
    if ((previous.flags & SQLITE_FkNoAction) == 0) amalgam_schema_outdate(db);
    sqlite3ExpirePreparedStatements(db, 0);
    return violations;
}
