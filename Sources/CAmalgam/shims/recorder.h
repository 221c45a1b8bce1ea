/*
** The recorder of row changes.
**
** The pre-update hook must not run statements, so changes are written into a buffer: the number of the table, the
** operation, the key, and the changed columns in JSONB (https://sqlite.org/jsonb.html), which SQL reads with json_each()
** and `->`. Everything happens in C, without a call of Swift per row: a table is described once, and what was described
** is valid as long as the stamp of the schema is the same.
**
** Texts become JSONB's TEXTRAW, which holds any bytes, so that nothing is looked at or escaped. Values that JSON has not
** are objects with one member: {"blob": "FF00"}. An infinite real is 9e999, as SQLite reads and writes it.
*/

/* A table, in one state of the schema. */
typedef struct amalgam_recorded_table {
    const Table *table;
    const Index *key; /* NULL: the rowid */
    uint8_t *modes;   /* one for each column */
    int number;       /* -1: its rows are not recorded */
} amalgam_recorded_table;

/* One change in the buffer, before its bytes: key, new key, columns. */
typedef struct amalgam_recorded_change {
    size_t size; /* of all of it */
    int32_t table;
    int32_t operation;
    int32_t key_type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_BLOB; SQLITE_NULL for no key */
    int32_t new_key_type;
    size_t key_length;
    size_t new_key_length;
} amalgam_recorded_change;

struct amalgam_recorder {
    void *owner;
    amalgam_recorder_describe describe;
    /* What is described, and the state of the main schema that it is valid for. */
    amalgam_recorded_table *tables;
    int table_count;
    const Schema *schema;
    int cookie;
    int generation;
    /* The changes that are not stored yet. */
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    int is_full; /* memory was exhausted */
    /* The bytes of the next write through a blob handle. */
    const void *blob;
    int64_t blob_length;
    int64_t blob_offset;
};

amalgam_recorder *amalgam_recorder_create(void *owner, amalgam_recorder_describe describe) {
    amalgam_recorder *recorder = sqlite3_malloc64(sizeof *recorder);
    if (recorder == 0) return 0;
    memset(recorder, 0, sizeof *recorder);
    recorder->owner = owner;
    recorder->describe = describe;
    return recorder;
}

void amalgam_recorder_forget(amalgam_recorder *recorder) {
    for (int i = 0; i < recorder->table_count; i++) sqlite3_free(recorder->tables[i].modes);
    sqlite3_free(recorder->tables);
    recorder->tables = 0;
    recorder->table_count = 0;
}

void amalgam_recorder_free(amalgam_recorder *recorder) {
    amalgam_recorder_forget(recorder);
    sqlite3_free(recorder->bytes);
    sqlite3_free(recorder);
}

amalgam_recorder *amalgam_hooks_set_recorder(amalgam_hooks *hooks, amalgam_recorder *recorder) {
    amalgam_recorder *previous = hooks->recorder;
    hooks->recorder = recorder;
    amalgam_update_row_slot(hooks);
    return previous;
}

size_t amalgam_recorder_mark(const amalgam_recorder *recorder) { return recorder->length; }

void amalgam_recorder_truncate(amalgam_recorder *recorder, size_t mark) {
    if (mark < recorder->length) recorder->length = mark;
}

void amalgam_recorder_set_blob(amalgam_recorder *recorder, const void *bytes, int64_t length, int64_t offset) {
    recorder->blob = bytes;
    recorder->blob_length = length;
    recorder->blob_offset = offset;
}

/* ---- The buffer ---------------------------------------------------------------------------- */

static uint8_t *amalgam_recorder_extend(amalgam_recorder *recorder, size_t size) {
    size_t needed = recorder->length + size;
    if (needed > recorder->capacity) {
        size_t capacity = needed + needed / 2 + 1024;
        uint8_t *bytes = sqlite3_realloc64(recorder->bytes, capacity);
        if (bytes == 0) {
            recorder->is_full = 1;
            return 0;
        }
        recorder->bytes = bytes;
        recorder->capacity = capacity;
    }
    uint8_t *end = recorder->bytes + recorder->length;
    recorder->length = needed;
    return end;
}

static void amalgam_recorder_append(amalgam_recorder *recorder, const void *bytes, size_t size) {
    if (size == 0) return;
    uint8_t *end = amalgam_recorder_extend(recorder, size);
    if (end) memcpy(end, bytes, size);
}

/* ---- JSONB --------------------------------------------------------------------------------- */

enum {
    AMALGAM_JSONB_NULL = 0,
    AMALGAM_JSONB_TRUE = 1,
    AMALGAM_JSONB_INT = 3,
    AMALGAM_JSONB_FLOAT = 5,
    AMALGAM_JSONB_TEXT = 7,
    AMALGAM_JSONB_TEXTRAW = 10,
    AMALGAM_JSONB_ARRAY = 11,
    AMALGAM_JSONB_OBJECT = 12,
};

static int amalgam_jsonb_head(uint8_t head[5], int type, size_t size) {
    if (size <= 11) {
        head[0] = (uint8_t)(size << 4 | (unsigned)type);
        return 1;
    }
    if (size <= 0xff) {
        head[0] = (uint8_t)(0xc0 | type);
        head[1] = (uint8_t)size;
        return 2;
    }
    if (size <= 0xffff) {
        head[0] = (uint8_t)(0xd0 | type);
        head[1] = (uint8_t)(size >> 8);
        head[2] = (uint8_t)size;
        return 3;
    }
    head[0] = (uint8_t)(0xe0 | type);
    for (int i = 0; i < 4; i++) head[1 + i] = (uint8_t)(size >> (24 - 8 * i));
    return 5;
}

static void amalgam_jsonb_append(amalgam_recorder *recorder, int type, const void *bytes, size_t size) {
    uint8_t head[5];
    amalgam_recorder_append(recorder, head, (size_t)amalgam_jsonb_head(head, type, size));
    amalgam_recorder_append(recorder, bytes, size);
}

/* Begins an array or object: its size is known at the end. */
static size_t amalgam_jsonb_begin(amalgam_recorder *recorder) {
    size_t start = recorder->length;
    amalgam_recorder_extend(recorder, 2);
    return start;
}

static void amalgam_jsonb_end(amalgam_recorder *recorder, int type, size_t start) {
    if (recorder->is_full) return;
    size_t size = recorder->length - start - 2;
    uint8_t head[5];
    int head_length = amalgam_jsonb_head(head, type, size);
    if (head_length > 2) {
        if (amalgam_recorder_extend(recorder, (size_t)head_length - 2) == 0) return;
        memmove(recorder->bytes + start + head_length, recorder->bytes + start + 2, size);
    } else if (head_length == 1) {
        /* A head may be longer than it must be. */
        head[0] = (uint8_t)(0xc0 | type);
        head[1] = (uint8_t)size;
        head_length = 2;
    }
    memcpy(recorder->bytes + start, head, (size_t)head_length);
}

static void amalgam_jsonb_append_integer(amalgam_recorder *recorder, int64_t integer) {
    char digits[20];
    int start = (int)sizeof digits;
    uint64_t magnitude = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    do {
        digits[--start] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (integer < 0) digits[--start] = '-';
    amalgam_jsonb_append(recorder, AMALGAM_JSONB_INT, digits + start, sizeof digits - (size_t)start);
}

static void amalgam_jsonb_append_real(amalgam_recorder *recorder, double real) {
    char digits[40];
    if (real - real != 0) {
        sqlite3_snprintf(sizeof digits, digits, "%s9e999", real < 0 ? "-" : "");
    } else {
        /* As SQLite's quote(): it comes back as the same number. */
        sqlite3_snprintf(sizeof digits, digits, "%!0.17g", real);
    }
    amalgam_jsonb_append(recorder, AMALGAM_JSONB_FLOAT, digits, strlen(digits));
}

static void amalgam_jsonb_append_blob(amalgam_recorder *recorder, const uint8_t *bytes, size_t count) {
    static const char digits[] = "0123456789ABCDEF";
    size_t start = amalgam_jsonb_begin(recorder);
    amalgam_jsonb_append(recorder, AMALGAM_JSONB_TEXT, "blob", 4);
    uint8_t head[5];
    amalgam_recorder_append(recorder, head, (size_t)amalgam_jsonb_head(head, AMALGAM_JSONB_TEXT, 2 * count));
    uint8_t *end = amalgam_recorder_extend(recorder, 2 * count);
    if (end == 0) return;
    for (size_t i = 0; i < count; i++) {
        *end++ = (uint8_t)digits[bytes[i] >> 4];
        *end++ = (uint8_t)digits[bytes[i] & 15];
    }
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_OBJECT, start);
}

/* NULL stands for a value that there is none of. */
static void amalgam_jsonb_append_value(amalgam_recorder *recorder, const Mem *value) {
    if (value == 0 || (value->flags & MEM_Null)) {
        amalgam_jsonb_append(recorder, AMALGAM_JSONB_NULL, 0, 0);
    } else if (value->flags & MEM_Int) {
        amalgam_jsonb_append_integer(recorder, value->u.i);
    } else if (value->flags & (MEM_Real | MEM_IntReal)) {
        amalgam_jsonb_append_real(recorder, (value->flags & MEM_Real) ? value->u.r : (double)value->u.i);
    } else if (value->flags & MEM_Str) {
        amalgam_jsonb_append(recorder, AMALGAM_JSONB_TEXTRAW, value->z, (size_t)value->n);
    } else {
        amalgam_jsonb_append_blob(recorder, (const uint8_t *)value->z, (size_t)value->n);
    }
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Describes a table of which a row is about to change. */
static amalgam_recorded_table *amalgam_recorder_add(amalgam_recorder *recorder, const Table *table) {
    size_t size = sizeof(amalgam_recorded_table) * ((size_t)recorder->table_count + 1);
    amalgam_recorded_table *tables = sqlite3_realloc64(recorder->tables, size);
    if (tables == 0) return 0;
    recorder->tables = tables;
    uint8_t *modes = sqlite3_malloc64((size_t)table->nCol);
    if (modes == 0) return 0;
    memset(modes, AMALGAM_COLUMN_LEFT_OUT, (size_t)table->nCol);
    int is_shadow = (table->tabFlags & TF_Shadow) != 0;
    amalgam_recorded_table *added = &tables[recorder->table_count];
    added->table = table;
    /* A key that is the rowid has no index. */
    added->key = sqlite3PrimaryKeyIndex((Table *)table);
    added->modes = modes;
    added->number = recorder->describe(recorder->owner, table->zName, is_shadow, table->nCol, modes);
    /* SQLite stores no values of virtual columns, and tells none. */
    for (int i = 0; i < table->nCol; i++) {
        if (table->aCol[i].colFlags & COLFLAG_VIRTUAL) modes[i] = AMALGAM_COLUMN_LEFT_OUT;
    }
    recorder->table_count += 1;
    return added;
}

static amalgam_recorded_table *amalgam_recorder_find(amalgam_recorder *recorder, const Table *table) {
    const Schema *schema = table->pSchema;
    if (recorder->schema != schema || recorder->cookie != schema->schema_cookie
        || recorder->generation != schema->iGeneration) {
        amalgam_recorder_forget(recorder);
        recorder->schema = schema;
        recorder->cookie = schema->schema_cookie;
        recorder->generation = schema->iGeneration;
    }
    for (int i = 0; i < recorder->table_count; i++) {
        if (recorder->tables[i].table == table) return &recorder->tables[i];
    }
    return amalgam_recorder_add(recorder, table);
}

/* ---- Changes ------------------------------------------------------------------------------- */

static int amalgam_is_same_value(const Mem *a, const Mem *b) {
    int type = a->flags & MEM_TypeMask & (MEM_Null | MEM_Int | MEM_Real | MEM_IntReal | MEM_Str | MEM_Blob);
    int other = b->flags & MEM_TypeMask & (MEM_Null | MEM_Int | MEM_Real | MEM_IntReal | MEM_Str | MEM_Blob);
    if ((type | other) & MEM_Null) return (type & other & MEM_Null) != 0;
    if ((type & MEM_Int) && (other & MEM_Int)) return a->u.i == b->u.i;
    if ((type | other) & MEM_Int) return 0;
    if ((type | other) & (MEM_Real | MEM_IntReal)) {
        if (((type & (MEM_Real | MEM_IntReal)) == 0) || ((other & (MEM_Real | MEM_IntReal)) == 0)) return 0;
        double x = (type & MEM_Real) ? a->u.r : (double)a->u.i;
        double y = (other & MEM_Real) ? b->u.r : (double)b->u.i;
        return memcmp(&x, &y, sizeof x) == 0;
    }
    if ((type & MEM_Str) != (other & MEM_Str)) return 0;
    return a->n == b->n && (a->n == 0 || memcmp(a->z, b->z, (size_t)a->n) == 0);
}

/*
** The value of a column after an update. SQLite's own function copies it; where the text needs no conversion it is read
** in its register.
*/
static const Mem *amalgam_updated_value(sqlite3 *db, int column) {
    const PreUpdate *change = db->pPreUpdate;
    if (column != change->pTab->iPKey && ENC(db) == SQLITE_UTF8) {
        const Mem *value = &change->v->aMem[change->iNewReg + 1 + sqlite3TableColumnToStorage(change->pTab, (i16)column)];
        int is_packed_real = change->pTab->aCol[column].affinity == SQLITE_AFF_REAL && (value->flags & MEM_Int);
        if ((value->flags & MEM_Zero) == 0 && !is_packed_real) return value;
    }
    return (const Mem *)amalgam_preupdate_value(db, column, 1);
}

static const Mem *amalgam_recorded_value(sqlite3 *db, int operation, int column, int is_new) {
    if (is_new && operation == SQLITE_UPDATE) return amalgam_updated_value(db, column);
    return (const Mem *)amalgam_preupdate_value(db, column, is_new);
}

/* Appends a key, and returns its type. */
static int amalgam_record_key(
    amalgam_recorder *recorder, sqlite3 *db, const amalgam_recorded_table *table, int operation, int is_new,
    sqlite3_int64 rowid
) {
    const Index *key = table->key;
    if (key == 0) {
        amalgam_recorder_append(recorder, &rowid, sizeof rowid);
        return SQLITE_INTEGER;
    }
    const Mem *only = key->nKeyCol == 1 ? amalgam_recorded_value(db, operation, key->aiColumn[0], is_new) : 0;
    if (only != 0 && (only->flags & (MEM_Int | MEM_Real))) {
        amalgam_recorder_append(recorder, &only->u, sizeof(int64_t));
        return (only->flags & MEM_Int) ? SQLITE_INTEGER : SQLITE_FLOAT;
    }
    if (only != 0 && (only->flags & MEM_Str)) {
        amalgam_recorder_append(recorder, only->z, (size_t)only->n);
        return SQLITE_TEXT;
    }
    size_t start = amalgam_jsonb_begin(recorder);
    for (int i = 0; i < key->nKeyCol; i++) {
        amalgam_jsonb_append_value(recorder, amalgam_recorded_value(db, operation, key->aiColumn[i], is_new));
    }
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_ARRAY, start);
    return SQLITE_BLOB;
}

static void amalgam_record_column(
    amalgam_recorder *recorder, const amalgam_recorded_table *table, int column, const Mem *old, const Mem *new
) {
    const char *name = table->table->aCol[column].zCnName;
    amalgam_jsonb_append(recorder, AMALGAM_JSONB_TEXTRAW, name, strlen(name));
    if (table->modes[column] == AMALGAM_COLUMN_REDACTED) {
        amalgam_jsonb_append(recorder, AMALGAM_JSONB_TRUE, 0, 0);
        return;
    }
    size_t start = amalgam_jsonb_begin(recorder);
    amalgam_jsonb_append_value(recorder, old);
    amalgam_jsonb_append_value(recorder, new);
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_ARRAY, start);
}

/* The columns that a statement changes; returns how many. */
static int amalgam_record_columns(
    amalgam_recorder *recorder, sqlite3 *db, const amalgam_recorded_table *table, int operation
) {
    int count = 0;
    for (int i = 0; i < table->table->nCol; i++) {
        if (table->modes[i] == AMALGAM_COLUMN_LEFT_OUT) continue;
        const Mem *old = operation == SQLITE_INSERT ? 0 : amalgam_recorded_value(db, operation, i, 0);
        const Mem *new = operation == SQLITE_DELETE ? 0 : amalgam_recorded_value(db, operation, i, 1);
        if (operation == SQLITE_UPDATE && old != 0 && new != 0 && amalgam_is_same_value(old, new)) continue;
        amalgam_record_column(recorder, table, i, old, new);
        count += 1;
    }
    return count;
}

/* The column that a blob handle writes; returns whether its value changes. */
static int amalgam_record_blob(amalgam_recorder *recorder, sqlite3 *db, const amalgam_recorded_table *table) {
    int column = db->pPreUpdate->iBlobWrite;
    if (column < 0 || column >= table->table->nCol || table->modes[column] == AMALGAM_COLUMN_LEFT_OUT) return 0;
    const Mem *old = (const Mem *)amalgam_preupdate_value(db, column, 0);
    int64_t end = recorder->blob_offset + recorder->blob_length;
    if (old == 0 || recorder->blob == 0 || recorder->blob_offset < 0 || end > old->n) return 0;
    if (memcmp(old->z + recorder->blob_offset, recorder->blob, (size_t)recorder->blob_length) == 0) return 0;
    char *bytes = sqlite3_malloc64((size_t)old->n);
    if (bytes == 0) {
        recorder->is_full = 1;
        return 0;
    }
    memcpy(bytes, old->z, (size_t)old->n);
    memcpy(bytes + recorder->blob_offset, recorder->blob, (size_t)recorder->blob_length);
    Mem new = *old;
    new.z = bytes;
    amalgam_record_column(recorder, table, column, old, &new);
    sqlite3_free(bytes);
    return 1;
}

static void amalgam_record(
    amalgam_recorder *recorder, sqlite3 *db, int operation, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid
) {
    const PreUpdate *preupdate = db->pPreUpdate;
    const Table *changed = preupdate->pTab;
    if (changed->pSchema != db->aDb[0].pSchema) return;
    const amalgam_recorded_table *table = amalgam_recorder_find(recorder, changed);
    if (table == 0) {
        sqlite3OomFault(db);
        return;
    }
    if (table->number < 0) return;

    int is_blob = preupdate->iBlobWrite >= 0;
    size_t start = recorder->length;
    recorder->is_full = 0;
    amalgam_recorded_change change = { .table = table->number, .new_key_type = SQLITE_NULL };
    change.operation = is_blob ? SQLITE_UPDATE : operation;
    amalgam_recorder_extend(recorder, sizeof change);

    size_t key = recorder->length;
    change.key_type = amalgam_record_key(
        recorder, db, table, operation, operation == SQLITE_INSERT, operation == SQLITE_INSERT ? new_rowid : old_rowid);
    change.key_length = recorder->length - key;
    if (operation == SQLITE_UPDATE && (table->key != 0 || old_rowid != new_rowid)) {
        size_t new_key = recorder->length;
        change.new_key_type = amalgam_record_key(recorder, db, table, operation, 1, new_rowid);
        change.new_key_length = recorder->length - new_key;
        if (!recorder->is_full && change.new_key_type == change.key_type && change.new_key_length == change.key_length
            && memcmp(recorder->bytes + key, recorder->bytes + new_key, change.key_length) == 0) {
            recorder->length = new_key;
            change.new_key_type = SQLITE_NULL;
            change.new_key_length = 0;
        }
    }
    size_t columns = amalgam_jsonb_begin(recorder);
    int count = is_blob
        ? amalgam_record_blob(recorder, db, table) : amalgam_record_columns(recorder, db, table, operation);
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_OBJECT, columns);

    int changes_nothing = change.operation == SQLITE_UPDATE && count == 0 && change.new_key_type == SQLITE_NULL;
    if (recorder->is_full || changes_nothing) {
        /* A change that cannot be written down must not be made. */
        if (recorder->is_full) sqlite3OomFault(db);
        recorder->length = start;
        return;
    }
    change.size = recorder->length - start;
    memcpy(recorder->bytes + start, &change, sizeof change);
}

/* ---- Storing ------------------------------------------------------------------------------- */

static int amalgam_bind_key(sqlite3_stmt *statement, int parameter, int type, const uint8_t *bytes, size_t length) {
    int64_t integer;
    double real;
    switch (type) {
    case SQLITE_INTEGER:
        memcpy(&integer, bytes, sizeof integer);
        return sqlite3_bind_int64(statement, parameter, integer);
    case SQLITE_FLOAT:
        memcpy(&real, bytes, sizeof real);
        return sqlite3_bind_double(statement, parameter, real);
    case SQLITE_TEXT:
        return sqlite3_bind_text64(statement, parameter, (const char *)bytes, length, SQLITE_STATIC, SQLITE_UTF8);
    case SQLITE_BLOB:
        return sqlite3_bind_blob64(statement, parameter, bytes, length, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(statement, parameter);
    }
}

static int amalgam_store_change(
    sqlite3_stmt *statement, const amalgam_recorded_change *change, const uint8_t *bytes, int64_t origin, int64_t table
) {
    const uint8_t *key = bytes + sizeof *change;
    const uint8_t *new_key = key + change->key_length;
    const uint8_t *columns = new_key + change->new_key_length;
    int code = sqlite3_bind_int64(statement, 1, origin);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 2, table);
    if (code == SQLITE_OK) code = sqlite3_bind_int(statement, 3, change->operation);
    if (code == SQLITE_OK) code = amalgam_bind_key(statement, 4, change->key_type, key, change->key_length);
    if (code == SQLITE_OK) code = amalgam_bind_key(statement, 5, change->new_key_type, new_key, change->new_key_length);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_blob64(
            statement, 6, columns, (size_t)(bytes + change->size - columns), SQLITE_STATIC);
    }
    if (code != SQLITE_OK) return code;
    sqlite3_step(statement);
    return sqlite3_reset(statement);
}

int amalgam_recorder_store(
    amalgam_recorder *recorder, sqlite3_stmt *statement, int64_t origin, const int64_t *tables, int table_count
) {
    /* Triggers of the application may call functions that run statements, which are recorded meanwhile. */
    uint8_t *bytes = recorder->bytes;
    size_t length = recorder->length;
    size_t capacity = recorder->capacity;
    recorder->bytes = 0;
    recorder->length = recorder->capacity = 0;

    int code = SQLITE_OK;
    for (size_t offset = 0; offset < length && code == SQLITE_OK;) {
        amalgam_recorded_change change;
        memcpy(&change, bytes + offset, sizeof change);
        int64_t table = change.table < table_count ? tables[change.table] : 0;
        code = amalgam_store_change(statement, &change, bytes + offset, origin, table);
        offset += change.size;
    }
    sqlite3_clear_bindings(statement);

    /* The buffer is kept for the next statement, unless it is large. */
    if (recorder->bytes == 0 && capacity <= 1 << 20) {
        recorder->bytes = bytes;
        recorder->capacity = capacity;
    } else {
        sqlite3_free(bytes);
    }
    return code;
}

/* ---- Statements ---------------------------------------------------------------------------- */

int amalgam_undoes_failed_step(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    return vdbe->usesStmtJournal && vdbe->errorAction != OE_Fail;
}

int amalgam_fails_on_conflict(sqlite3_stmt *statement) { return ((const Vdbe *)statement)->errorAction == OE_Fail; }

int amalgam_writing_statements(sqlite3 *db) { return db->nVdbeWrite; }

void amalgam_set_autocommit(sqlite3 *db, int on) { db->autoCommit = on ? 1 : 0; }

amalgam_change_counts amalgam_get_change_counts(sqlite3 *db) {
    return (amalgam_change_counts){
        .last_rowid = db->lastRowid, .changes = db->nChange, .total_changes = db->nTotalChange };
}

void amalgam_set_change_counts(sqlite3 *db, amalgam_change_counts counts) {
    db->lastRowid = counts.last_rowid;
    db->nChange = counts.changes;
    db->nTotalChange = counts.total_changes;
}
