/*
** The recorder of row changes.
**
** The pre-update hook can't run statements, so the recorder writes changes to a buffer: the number of the table, the
** operation, the key, and the changed columns in JSONB (https://sqlite.org/jsonb.html), which SQL reads with
** json_each() and `->`. All of this happens in C, without a call of Swift per row: Swift describes each table only once
** until the schema changes.
**
** sqlite3_preupdate_old() and sqlite3_preupdate_new() return the values before and after a change. An INSERT statement
** reads the changes from the virtual table `amalgam_recorded_changes`, and stores them in a log table.
**
** TEXT values become JSONB's TEXTRAW, which may contain any bytes, so no byte is inspected or escaped. A blob, which
** JSON lacks, is an object with one member: {"blob": "FF00"}. An infinite real is 9e999, as in SQLite's own JSON.
*/

/* The description of a table, for one state of the schema. */
typedef struct amalgam_recorded_table {
    const Table *table;
    const Index *key; /* NULL if the key is the rowid */
    uint8_t *modes;   /* one for each column */
    int number;       /* -1: its rows are not recorded */
    /* For each column, its name as a JSONB element, and the offset of this element. The last offset is the end. */
    uint8_t *names;
    u32 *name_offsets;
} amalgam_recorded_table;

/* The head of a change in the buffer. Its bytes follow: key, new key, columns. */
typedef struct amalgam_recorded_change {
    size_t size; /* of the head and the bytes */
    uint32_t key_length;
    uint32_t new_key_length;
    int32_t table;
    int32_t context;
    uint8_t operation;
    uint8_t key_type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_BLOB; SQLITE_NULL for no key */
    uint8_t new_key_type;
} amalgam_recorded_change;

/* The source of the rows of the virtual table `amalgam_recorded_changes`, one for each connection. */
typedef struct amalgam_recorded_source {
    const amalgam_recorder *recorder; /* the recorder whose changes are being stored; NULL for none */
    /* See shims/recorded_savepoints.h. */
    amalgam_recorder *recorders; /* a list */
    int is_joined;
    uint64_t transactions; /* that were joined */
    sqlite3_vtab vtab;
    Module module;
    VTable table;
} amalgam_recorded_source;

/* An open savepoint, of SQL or of one statement, and the size of the buffer when it was opened. */
typedef struct amalgam_recorded_savepoint {
    int level;
    size_t mark;
} amalgam_recorded_savepoint;

struct amalgam_recorder {
    amalgam_hooks *hooks;
    amalgam_row_listener listener;
    void *owner;
    amalgam_recorder_describe describe;
    /* The described tables, and the state of the schemas for which their descriptions are valid. */
    amalgam_recorded_table *tables;
    int table_count;
    uint64_t stamp;
    /* The changes that are not stored yet. */
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    int is_full; /* memory was exhausted */
    int context; /* of the next changes */
    /* The savepoints whose rollback discards changes, innermost last. */
    amalgam_recorded_savepoint *savepoints;
    int savepoint_count;
    int savepoint_capacity;
    amalgam_recorded_source *source; /* NULL when the connection is closed */
    amalgam_recorder *next;          /* of the same connection */
    /* The bytes of the next write through a blob handle. */
    const void *blob;
    int64_t blob_length;
    int64_t blob_offset;
    /* The arguments of amalgam_recorder_begin_storing, while changes are being stored. */
    const int64_t *origins;
    int origin_count;
    const int64_t *table_ids;
    int table_id_count;
};

static int amalgam_recorded_changes_register(sqlite3 *db);
static void amalgam_recorder_connect(amalgam_recorder *recorder, amalgam_recorded_source *source);
static void amalgam_recorder_disconnect(amalgam_recorder *recorder);
static void amalgam_recorder_lower_marks(amalgam_recorder *recorder);
static int amalgam_recorder_reserve_savepoint(amalgam_recorder *recorder);
static int amalgam_recorder_join_transaction(const amalgam_recorder *recorder, sqlite3 *db);
static amalgam_recorded_source *amalgam_recorded_changes_source(sqlite3 *db);
static void amalgam_record(
    void *recorder, sqlite3 *db, int operation, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);

amalgam_recorder *amalgam_recorder_create(
    amalgam_hooks *hooks, void *owner, amalgam_recorder_describe describe
) {
    if (amalgam_recorded_changes_register(hooks->db) != SQLITE_OK) return 0;
    amalgam_recorder *recorder = sqlite3_malloc64(sizeof *recorder);
    if (recorder == 0) return 0;
    memset(recorder, 0, sizeof *recorder);
    if (!amalgam_recorder_reserve_savepoint(recorder)) {
        sqlite3_free(recorder);
        return 0;
    }
    recorder->hooks = hooks;
    recorder->listener.row_will_change = amalgam_record;
    recorder->listener.context = recorder;
    recorder->owner = owner;
    recorder->describe = describe;
    amalgam_recorder_connect(recorder, amalgam_recorded_changes_source(hooks->db));
    return recorder;
}

void amalgam_recorder_forget(amalgam_recorder *recorder) {
    for (int i = 0; i < recorder->table_count; i++) {
        sqlite3_free(recorder->tables[i].modes);
        sqlite3_free(recorder->tables[i].names);
    }
    sqlite3_free(recorder->tables);
    recorder->tables = 0;
    recorder->table_count = 0;
}

void amalgam_recorder_free(amalgam_recorder *recorder) {
    amalgam_remove_row_listener(&recorder->listener);
    amalgam_recorder_forget(recorder);
    amalgam_recorder_disconnect(recorder);
    sqlite3_free(recorder->savepoints);
    sqlite3_free(recorder->bytes);
    sqlite3_free(recorder);
}

int amalgam_recorder_listen(amalgam_recorder *recorder, int on) {
    const int listened = recorder->listener.hooks != 0;
    if (on && !listened) amalgam_add_row_listener(recorder->hooks, &recorder->listener);
    if (!on) amalgam_remove_row_listener(&recorder->listener);
    return listened;
}

size_t amalgam_recorder_mark(const amalgam_recorder *recorder) { return recorder->length; }

void amalgam_recorder_truncate(amalgam_recorder *recorder, size_t mark) {
    if (mark >= recorder->length) return;
    recorder->length = mark;
    amalgam_recorder_lower_marks(recorder);
}

void amalgam_recorder_set_context(amalgam_recorder *recorder, int context) { recorder->context = context; }

int amalgam_recorder_has_context(const amalgam_recorder *recorder, int context) {
    amalgam_recorded_change change;
    for (size_t offset = 0; offset < recorder->length; offset += change.size) {
        memcpy(&change, recorder->bytes + offset, sizeof change);
        if (change.context == context) return 1;
    }
    return 0;
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

static int amalgam_jsonb_head(uint8_t *head, int type, size_t size) {
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

/* Begins an array or object, and reserves two bytes for its head. Its size is only known at the end. */
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
        /* JSONB allows heads that are longer than necessary. */
        head[0] = (uint8_t)(0xc0 | type);
        head[1] = (uint8_t)size;
        head_length = 2;
    }
    memcpy(recorder->bytes + start, head, (size_t)head_length);
}

/* The maximum number of bytes of an integer: its head and 20 digits. */
#define AMALGAM_JSONB_INTEGER_SIZE 22

/* Writes an integer, and returns the end of its bytes. */
static uint8_t *amalgam_jsonb_write_integer(uint8_t *end, int64_t integer) {
    char digits[20];
    int start = (int)sizeof digits;
    uint64_t magnitude = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    do {
        digits[--start] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (integer < 0) digits[--start] = '-';
    end += amalgam_jsonb_head(end, AMALGAM_JSONB_INT, sizeof digits - (size_t)start);
    while (start < (int)sizeof digits) *end++ = (uint8_t)digits[start++];
    return end;
}

static void amalgam_jsonb_append_integer(amalgam_recorder *recorder, int64_t integer) {
    uint8_t bytes[AMALGAM_JSONB_INTEGER_SIZE];
    amalgam_recorder_append(recorder, bytes, (size_t)(amalgam_jsonb_write_integer(bytes, integer) - bytes));
}

void amalgam_recorder_format_real(double real, char digits[AMALGAM_RECORDED_REAL_SIZE]) {
    if (real - real != 0) {
        sqlite3_snprintf(AMALGAM_RECORDED_REAL_SIZE, digits, "%s9e999", real < 0 ? "-" : "");
    } else {
        /* Like SQLite's quote(), which drops the sign of zero: the digits are read as the same number. */
        sqlite3_snprintf(AMALGAM_RECORDED_REAL_SIZE, digits, "%s%!0.17g", real == 0 && signbit(real) ? "-" : "", real);
    }
}

static void amalgam_jsonb_append_real(amalgam_recorder *recorder, double real) {
    char digits[AMALGAM_RECORDED_REAL_SIZE];
    amalgam_recorder_format_real(real, digits);
    amalgam_jsonb_append(recorder, AMALGAM_JSONB_FLOAT, digits, strlen(digits));
}

/* The number of a value with the flag MEM_Real, or MEM_IntReal: a real that SQLite stores as an integer. */
static double amalgam_real(const Mem *value) {
    return (value->flags & MEM_Real) ? value->u.r : (double)value->u.i;
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

/* A NULL pointer is a missing value. */
static void amalgam_jsonb_append_value(amalgam_recorder *recorder, const Mem *value) {
    if (value == 0 || (value->flags & MEM_Null)) {
        amalgam_jsonb_append(recorder, AMALGAM_JSONB_NULL, 0, 0);
    } else if (value->flags & MEM_Int) {
        amalgam_jsonb_append_integer(recorder, value->u.i);
    } else if (value->flags & (MEM_Real | MEM_IntReal)) {
        amalgam_jsonb_append_real(recorder, amalgam_real(value));
    } else if (value->flags & MEM_Str) {
        amalgam_jsonb_append(recorder, AMALGAM_JSONB_TEXTRAW, value->z, (size_t)value->n);
    } else {
        amalgam_jsonb_append_blob(recorder, (const uint8_t *)value->z, (size_t)value->n);
    }
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Encodes the names of the columns in JSONB, once per description. */
static int amalgam_recorder_add_names(amalgam_recorded_table *added, const Table *table) {
    size_t offsets_size = sizeof(u32) * ((size_t)table->nCol + 1);
    size_t size = offsets_size;
    for (int i = 0; i < table->nCol; i++) size += 5 + strlen(table->aCol[i].zCnName);
    added->names = sqlite3_malloc64(size);
    if (added->names == 0) return 0;
    added->name_offsets = (u32 *)added->names;
    size_t end = offsets_size;
    for (int i = 0; i < table->nCol; i++) {
        const char *name = table->aCol[i].zCnName;
        size_t length = strlen(name);
        added->name_offsets[i] = (u32)end;
        end += (size_t)amalgam_jsonb_head(added->names + end, AMALGAM_JSONB_TEXTRAW, length);
        memcpy(added->names + end, name, length);
        end += length;
    }
    added->name_offsets[table->nCol] = (u32)end;
    return 1;
}

/* A search of an expression for columns with redacted values. */
typedef struct amalgam_redaction {
    Walker walker; /* the first member */
    const Table *table;
    const uint8_t *reads_redacted; /* one for each column */
    int is_found;
} amalgam_redaction;

static int amalgam_redaction_visit(Walker *walker, Expr *expression) {
    amalgam_redaction *redaction = (amalgam_redaction *)walker;
    if (expression->op != TK_COLUMN) return WRC_Continue;
    int column = expression->iColumn < 0 ? redaction->table->iPKey : expression->iColumn;
    if (column < 0 || column >= redaction->table->nCol || !redaction->reads_redacted[column]) return WRC_Continue;
    redaction->is_found = 1;
    return WRC_Abort;
}

static int amalgam_reads_redacted(const Table *table, int column, const uint8_t *reads_redacted) {
    amalgam_redaction redaction = { .table = table, .reads_redacted = reads_redacted };
    redaction.walker.xExprCallback = amalgam_redaction_visit;
    sqlite3WalkExpr(&redaction.walker, sqlite3ColumnExpr((Table *)table, &table->aCol[column]));
    return redaction.is_found;
}

/*
** Redacts the generated columns that are computed from redacted columns, directly or from other generated columns. Returns 0
** if memory is exhausted.
*/
static int amalgam_recorder_redact_generated(const Table *table, uint8_t *modes) {
    if ((table->tabFlags & TF_HasGenerated) == 0) return 1;
    uint8_t *reads_redacted = sqlite3_malloc64((size_t)table->nCol);
    if (reads_redacted == 0) return 0;
    for (int i = 0; i < table->nCol; i++) reads_redacted[i] = modes[i] == AMALGAM_COLUMN_REDACTED;
    int found;
    do {
        found = 0;
        for (int i = 0; i < table->nCol; i++) {
            if (reads_redacted[i] || (table->aCol[i].colFlags & COLFLAG_GENERATED) == 0) continue;
            reads_redacted[i] = (uint8_t)amalgam_reads_redacted(table, i, reads_redacted);
            found |= reads_redacted[i];
        }
    } while (found);
    for (int i = 0; i < table->nCol; i++) {
        if (reads_redacted[i] && modes[i] == AMALGAM_COLUMN_RECORDED) modes[i] = AMALGAM_COLUMN_REDACTED;
    }
    sqlite3_free(reads_redacted);
    return 1;
}

int amalgam_recorder_is_key(sqlite3 *db, int column) {
    const PreUpdate *change = db->pPreUpdate;
    if (change == 0 || column < 0 || column >= change->pTab->nCol) return 0;
    return (change->pTab->aCol[column].colFlags & COLFLAG_PRIMKEY) != 0;
}

/* Describes a table in which a row is about to change. */
static amalgam_recorded_table *amalgam_recorder_add(amalgam_recorder *recorder, const Table *table) {
    size_t size = sizeof(amalgam_recorded_table) * ((size_t)recorder->table_count + 1);
    amalgam_recorded_table *tables = sqlite3_realloc64(recorder->tables, size);
    if (tables == 0) return 0;
    recorder->tables = tables;
    size_t columns = (size_t)table->nCol;
    uint8_t *modes = sqlite3_malloc64(columns);
    if (modes == 0) return 0;
    memset(modes, AMALGAM_COLUMN_LEFT_OUT, columns);
    int is_shadow = (table->tabFlags & TF_Shadow) != 0;
    amalgam_recorded_table *added = &tables[recorder->table_count];
    added->table = table;
    if (!amalgam_recorder_add_names(added, table)) {
        sqlite3_free(modes);
        return 0;
    }
    /* Is NULL if the primary key is the rowid. */
    added->key = sqlite3PrimaryKeyIndex((Table *)table);
    added->modes = modes;
    added->number = recorder->describe(recorder->owner, table->zName, is_shadow, table->nCol, modes);
    if (!amalgam_recorder_redact_generated(table, modes)) {
        sqlite3_free(modes);
        sqlite3_free(added->names);
        return 0;
    }
    /* SQLite doesn't store the values of virtual columns, and doesn't report them. */
    for (int i = 0; i < table->nCol; i++) {
        if (table->aCol[i].colFlags & COLFLAG_VIRTUAL) modes[i] = AMALGAM_COLUMN_LEFT_OUT;
    }
    recorder->table_count += 1;
    return added;
}

static amalgam_recorded_table *amalgam_recorder_find(amalgam_recorder *recorder, const Table *table) {
    uint64_t stamp = amalgam_schema_now(recorder->hooks).schemas;
    if (recorder->stamp != stamp) {
        amalgam_recorder_forget(recorder);
        recorder->stamp = stamp;
    }
    for (int i = 0; i < recorder->table_count; i++) {
        if (recorder->tables[i].table == table) return &recorder->tables[i];
    }
    return amalgam_recorder_add(recorder, table);
}

/* ---- Changes ------------------------------------------------------------------------------- */

static int amalgam_is_same_value(const Mem *a, const Mem *b) {
    if (a->flags & b->flags & MEM_Int) return a->u.i == b->u.i;
    int type = a->flags & MEM_TypeMask & (MEM_Null | MEM_Int | MEM_Real | MEM_IntReal | MEM_Str | MEM_Blob);
    int other = b->flags & MEM_TypeMask & (MEM_Null | MEM_Int | MEM_Real | MEM_IntReal | MEM_Str | MEM_Blob);
    if ((type | other) & MEM_Null) return (type & other & MEM_Null) != 0;
    if ((type | other) & MEM_Int) return 0;
    if ((type | other) & (MEM_Real | MEM_IntReal)) {
        if (((type & (MEM_Real | MEM_IntReal)) == 0) || ((other & (MEM_Real | MEM_IntReal)) == 0)) return 0;
        double x = amalgam_real(a);
        double y = amalgam_real(b);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    if ((type & MEM_Str) != (other & MEM_Str)) return 0;
    return a->n == b->n && (a->n == 0 || memcmp(a->z, b->z, (size_t)a->n) == 0);
}

/* Whether amalgam_preupdate_converted() would return the value unchanged. */
static int amalgam_is_plain_value(const Mem *value) {
    return !(value->flags & MEM_Zero) && (!(value->flags & MEM_Str) || value->enc == SQLITE_UTF8);
}

/* The recorder reads two values of each column for each updated row. Most of them need no conversion. */
static const Mem *amalgam_old_value(sqlite3 *db, int column) {
    sqlite3_value *value = 0;
    int code = sqlite3_preupdate_old(db, column, &value);
    if (code == SQLITE_OK && value != 0 && amalgam_is_plain_value(value)) return value;
    return (const Mem *)amalgam_preupdate_converted(db, column, 0, code, value);
}

static const Mem *amalgam_new_value(sqlite3 *db, int column) {
    sqlite3_value *value = 0;
    int code = sqlite3_preupdate_new(db, column, &value);
    if (code == SQLITE_OK && value != 0 && amalgam_is_plain_value(value)) {
        int may_be_real = (value->flags & (MEM_Int | MEM_IntReal)) != 0;
        if (!may_be_real || db->pPreUpdate->pTab->aCol[column].affinity != SQLITE_AFF_REAL) return value;
    }
    return (const Mem *)amalgam_preupdate_converted(db, column, 1, code, value);
}

/* Appends a key, and returns its type. */
static uint8_t amalgam_record_key(
    amalgam_recorder *recorder, sqlite3 *db, const amalgam_recorded_table *table, int is_new, sqlite3_int64 rowid
) {
    const Index *key = table->key;
    if (key == 0) {
        amalgam_recorder_append(recorder, &rowid, sizeof rowid);
        return SQLITE_INTEGER;
    }
    const Mem *only = 0;
    if (key->nKeyCol == 1) {
        only = is_new ? amalgam_new_value(db, key->aiColumn[0]) : amalgam_old_value(db, key->aiColumn[0]);
    }
    if (only != 0 && (only->flags & MEM_Int)) {
        amalgam_recorder_append(recorder, &only->u.i, sizeof only->u.i);
        return SQLITE_INTEGER;
    }
    if (only != 0 && (only->flags & (MEM_Real | MEM_IntReal))) {
        double real = amalgam_real(only);
        amalgam_recorder_append(recorder, &real, sizeof real);
        return SQLITE_FLOAT;
    }
    if (only != 0 && (only->flags & MEM_Str)) {
        amalgam_recorder_append(recorder, only->z, (size_t)only->n);
        return SQLITE_TEXT;
    }
    size_t start = amalgam_jsonb_begin(recorder);
    for (int i = 0; i < key->nKeyCol; i++) {
        int column = key->aiColumn[i];
        amalgam_jsonb_append_value(
            recorder, is_new ? amalgam_new_value(db, column) : amalgam_old_value(db, column));
    }
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_ARRAY, start);
    return SQLITE_BLOB;
}

/* Appends a JSONB array of two integers. */
static void amalgam_record_integers(amalgam_recorder *recorder, int64_t old, int64_t new) {
    uint8_t bytes[2 + 2 * AMALGAM_JSONB_INTEGER_SIZE];
    uint8_t *end = amalgam_jsonb_write_integer(amalgam_jsonb_write_integer(bytes + 2, old), new);
    size_t size = (size_t)(end - bytes) - 2;
    /* JSONB allows heads that are longer than necessary. */
    bytes[0] = 0xc0 | AMALGAM_JSONB_ARRAY;
    bytes[1] = (uint8_t)size;
    amalgam_recorder_append(recorder, bytes, size + 2);
}

static void amalgam_record_column(
    amalgam_recorder *recorder, const amalgam_recorded_table *table, int column, const Mem *old, const Mem *new
) {
    size_t name_length = table->name_offsets[column + 1] - table->name_offsets[column];
    amalgam_recorder_append(recorder, table->names + table->name_offsets[column], name_length);
    if (table->modes[column] == AMALGAM_COLUMN_REDACTED) {
        amalgam_jsonb_append(recorder, AMALGAM_JSONB_TRUE, 0, 0);
        return;
    }
    if (old != 0 && new != 0 && (old->flags & MEM_Int) && (new->flags & MEM_Int)) {
        amalgam_record_integers(recorder, old->u.i, new->u.i);
        return;
    }
    size_t start = amalgam_jsonb_begin(recorder);
    amalgam_jsonb_append_value(recorder, old);
    amalgam_jsonb_append_value(recorder, new);
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_ARRAY, start);
}

/* Records the changed columns, and returns their number. */
static int amalgam_record_columns(
    amalgam_recorder *recorder, sqlite3 *db, int operation, const amalgam_recorded_table *table
) {
    int count = 0;
    for (int i = 0; i < table->table->nCol; i++) {
        if (table->modes[i] == AMALGAM_COLUMN_LEFT_OUT) continue;
        const Mem *old = operation == SQLITE_INSERT ? 0 : amalgam_old_value(db, i);
        const Mem *new = operation == SQLITE_DELETE ? 0 : amalgam_new_value(db, i);
        if (operation == SQLITE_UPDATE && old != 0 && new != 0 && amalgam_is_same_value(old, new)) continue;
        amalgam_record_column(recorder, table, i, old, new);
        count += 1;
    }
    return count;
}

/* Computes the value of a column after a write through a blob handle. Returns 1 if it isn't the old value. */
static int amalgam_write_blob(amalgam_recorder *recorder, sqlite3 *db, int column, Mem *new) {
    sqlite3_value *old = 0;
    int64_t start = recorder->blob_offset;
    size_t length = (size_t)recorder->blob_length;
    if (recorder->blob == 0 || !amalgam_preupdate_succeeds(db, sqlite3_preupdate_old(db, column, &old))) return 0;
    if (old == 0) return 0;
    int code = sqlite3VdbeMemCopy(new, old);
    int is_text = (new->flags & MEM_Str) != 0;
    /* Offsets count bytes in the encoding of the database. Reading the value before may have changed its encoding. */
    if (code == SQLITE_OK && is_text) code = sqlite3VdbeChangeEncoding(new, ENC(db));
    if (code == SQLITE_OK) code = sqlite3VdbeMemMakeWriteable(new);
    if (code == SQLITE_OK) {
        if (start < 0 || start + recorder->blob_length > new->n) return 0;
        if (memcmp(new->z + start, recorder->blob, length) == 0) return 0;
        memcpy(new->z + start, recorder->blob, length);
        if (is_text) code = sqlite3VdbeChangeEncoding(new, SQLITE_UTF8);
    }
    if (code != SQLITE_OK) recorder->is_full = 1;
    return code == SQLITE_OK;
}

/* Records the column that a blob handle writes. Returns 1 if the value of the column changes. */
static int amalgam_record_blob(amalgam_recorder *recorder, sqlite3 *db, const amalgam_recorded_table *table) {
    int column = db->pPreUpdate->iBlobWrite;
    if (column < 0 || column >= table->table->nCol || table->modes[column] == AMALGAM_COLUMN_LEFT_OUT) return 0;
    Mem new = { .db = db, .flags = MEM_Null };
    int changes = amalgam_write_blob(recorder, db, column, &new);
    const Mem *old = changes ? (const Mem *)amalgam_preupdate_value(db, column, 0) : 0;
    if (old) amalgam_record_column(recorder, table, column, old, &new);
    sqlite3VdbeMemRelease(&new);
    return old != 0;
}

static void amalgam_record(
    void *context, sqlite3 *db, int operation, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid
) {
    amalgam_recorder *recorder = context;
    const PreUpdate *preupdate = db->pPreUpdate;
    const Table *changed = preupdate->pTab;
    if (changed->pSchema != db->aDb[0].pSchema) return;
    const amalgam_recorded_table *table = amalgam_recorder_find(recorder, changed);
    if (table == 0) {
        sqlite3OomFault(db);
        return;
    }
    if (table->number < 0 || !amalgam_recorder_join_transaction(recorder, db)) return;

    int is_blob = preupdate->iBlobWrite >= 0;
    size_t start = recorder->length;
    recorder->is_full = 0;
    amalgam_recorded_change change = {
        .table = table->number, .context = recorder->context, .new_key_type = SQLITE_NULL };
    change.operation = (uint8_t)(is_blob ? SQLITE_UPDATE : operation);
    amalgam_recorder_extend(recorder, sizeof change);

    int is_insertion = operation == SQLITE_INSERT;
    size_t key = recorder->length;
    change.key_type = amalgam_record_key(recorder, db, table, is_insertion, is_insertion ? new_rowid : old_rowid);
    change.key_length = (uint32_t)(recorder->length - key);
    if (operation == SQLITE_UPDATE && (table->key != 0 || old_rowid != new_rowid)) {
        size_t new_key = recorder->length;
        change.new_key_type = amalgam_record_key(recorder, db, table, 1, new_rowid);
        change.new_key_length = (uint32_t)(recorder->length - new_key);
        if (!recorder->is_full && change.new_key_type == change.key_type && change.new_key_length == change.key_length
            && memcmp(recorder->bytes + key, recorder->bytes + new_key, change.key_length) == 0) {
            recorder->length = new_key;
            change.new_key_type = SQLITE_NULL;
            change.new_key_length = 0;
        }
    }
    size_t columns = amalgam_jsonb_begin(recorder);
    int count = is_blob ? amalgam_record_blob(recorder, db, table) : amalgam_record_columns(recorder, db, operation, table);
    amalgam_jsonb_end(recorder, AMALGAM_JSONB_OBJECT, columns);

    int changes_nothing = change.operation == SQLITE_UPDATE && count == 0 && change.new_key_type == SQLITE_NULL;
    if (recorder->is_full || changes_nothing) {
        /* A change that can't be recorded must not be made: the statement fails. */
        if (recorder->is_full) sqlite3OomFault(db);
        recorder->length = start;
        return;
    }
    change.size = recorder->length - start;
    memcpy(recorder->bytes + start, &change, sizeof change);
}

/* ---- Storing ------------------------------------------------------------------------------- */

int amalgam_recorder_next_table(
    const amalgam_recorder *recorder, size_t *offset, const int64_t *table_ids, int table_id_count
) {
    int is_missing = 0;
    for (int i = 0; i < table_id_count; i++) is_missing |= table_ids[i] == 0;
    if (!is_missing) return -1;
    amalgam_recorded_change change;
    while (*offset < recorder->length) {
        memcpy(&change, recorder->bytes + *offset, sizeof change);
        *offset += change.size;
        if (change.table < table_id_count && table_ids[change.table] == 0) return change.table;
    }
    return -1;
}

int amalgam_recorder_largest_table(const amalgam_recorder *recorder) {
    amalgam_recorded_change change, largest = { .table = -1 };
    for (size_t offset = 0; offset < recorder->length; offset += change.size) {
        memcpy(&change, recorder->bytes + offset, sizeof change);
        if (change.size > largest.size) largest = change;
    }
    return largest.table;
}

static int64_t amalgam_recorder_table_id(const amalgam_recorder *recorder, const amalgam_recorded_change *change) {
    return change->table < recorder->table_id_count ? recorder->table_ids[change->table] : 0;
}

static int64_t amalgam_recorder_origin(const amalgam_recorder *recorder, const amalgam_recorded_change *change) {
    return change->context < recorder->origin_count ? recorder->origins[change->context] : 0;
}

static void amalgam_recorded_changes_read(sqlite3 *db, const amalgam_recorder *recorder) {
    amalgam_recorded_source *source = amalgam_recorded_changes_source(db);
    if (source != 0) source->recorder = recorder;
}

void amalgam_recorder_begin_storing(
    amalgam_recorder *recorder, const int64_t *origins, int origin_count, const int64_t *table_ids, int table_id_count
) {
    recorder->origins = origins;
    recorder->origin_count = origin_count;
    recorder->table_ids = table_ids;
    recorder->table_id_count = table_id_count;
    amalgam_recorded_changes_read(recorder->hooks->db, recorder);
}

void amalgam_recorder_end_storing(amalgam_recorder *recorder) {
    amalgam_recorded_changes_read(recorder->hooks->db, 0);
    amalgam_recorder_truncate(recorder, 0);
    /* The buffer is reused by the next statement, unless it is large. */
    if (recorder->capacity > 1 << 20) {
        sqlite3_free(recorder->bytes);
        recorder->bytes = 0;
        recorder->capacity = 0;
    }
}

/* A table-valued function without arguments, which returns the changes that are being stored. */
typedef struct amalgam_recorded_changes {
    sqlite3_vtab base;
    const amalgam_recorded_source *source;
} amalgam_recorded_changes;

typedef struct amalgam_recorded_cursor {
    sqlite3_vtab_cursor base;
    const amalgam_recorder *recorder;
    size_t offset;
    amalgam_recorded_change change;
} amalgam_recorded_cursor;

static int amalgam_recorded_connect(
    sqlite3 *db, void *source, int argument_count, const char *const *arguments, sqlite3_vtab **vtab, char **message
) {
    int code = sqlite3_declare_vtab(
        db, "CREATE TABLE x (originID, tableID, operation, key, newKey, changes)");
    if (code != SQLITE_OK) return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    amalgam_recorded_changes *changes = sqlite3_malloc64(sizeof *changes);
    if (changes == 0) return SQLITE_NOMEM;
    memset(changes, 0, sizeof *changes);
    changes->source = source;
    *vtab = &changes->base;
    return SQLITE_OK;
}

static int amalgam_recorded_disconnect(sqlite3_vtab *vtab) {
    sqlite3_free(vtab);
    return SQLITE_OK;
}

static int amalgam_recorded_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
    info->estimatedCost = 1000;
    info->estimatedRows = 1000;
    return SQLITE_OK;
}

static int amalgam_recorded_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
    amalgam_recorded_cursor *opened = sqlite3_malloc64(sizeof *opened);
    if (opened == 0) return SQLITE_NOMEM;
    memset(opened, 0, sizeof *opened);
    *cursor = &opened->base;
    return SQLITE_OK;
}

static int amalgam_recorded_close(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int amalgam_recorded_eof(sqlite3_vtab_cursor *base) {
    const amalgam_recorded_cursor *cursor = (const amalgam_recorded_cursor *)base;
    return cursor->recorder == 0 || cursor->offset >= cursor->recorder->length;
}

static void amalgam_recorded_read(amalgam_recorded_cursor *cursor) {
    if (amalgam_recorded_eof(&cursor->base)) return;
    memcpy(&cursor->change, cursor->recorder->bytes + cursor->offset, sizeof cursor->change);
}

static int amalgam_recorded_filter(
    sqlite3_vtab_cursor *base, int number, const char *string, int argument_count, sqlite3_value **arguments
) {
    amalgam_recorded_cursor *cursor = (amalgam_recorded_cursor *)base;
    cursor->recorder = ((const amalgam_recorded_changes *)base->pVtab)->source->recorder;
    cursor->offset = 0;
    amalgam_recorded_read(cursor);
    return SQLITE_OK;
}

static int amalgam_recorded_next(sqlite3_vtab_cursor *base) {
    amalgam_recorded_cursor *cursor = (amalgam_recorded_cursor *)base;
    cursor->offset += cursor->change.size;
    amalgam_recorded_read(cursor);
    return SQLITE_OK;
}

static int amalgam_recorded_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = (sqlite3_int64)((const amalgam_recorded_cursor *)base)->offset;
    return SQLITE_OK;
}

static void amalgam_result_key(sqlite3_context *context, int type, const uint8_t *bytes, size_t length) {
    int64_t integer;
    double real;
    switch (type) {
    case SQLITE_INTEGER:
        memcpy(&integer, bytes, sizeof integer);
        sqlite3_result_int64(context, integer);
        break;
    case SQLITE_FLOAT:
        memcpy(&real, bytes, sizeof real);
        sqlite3_result_double(context, real);
        break;
    case SQLITE_TEXT:
        sqlite3_result_text64(context, (const char *)bytes, length, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case SQLITE_BLOB:
        sqlite3_result_blob64(context, bytes, length, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_result_null(context);
    }
}

static int amalgam_recorded_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const amalgam_recorded_cursor *cursor = (const amalgam_recorded_cursor *)base;
    const amalgam_recorder *recorder = cursor->recorder;
    const amalgam_recorded_change *change = &cursor->change;
    const uint8_t *start = recorder->bytes + cursor->offset;
    const uint8_t *key = start + sizeof *change;
    const uint8_t *new_key = key + change->key_length;
    const uint8_t *columns = new_key + change->new_key_length;
    switch (column) {
    case 0:
        sqlite3_result_int64(context, amalgam_recorder_origin(recorder, change));
        break;
    case 1:
        sqlite3_result_int64(context, amalgam_recorder_table_id(recorder, change));
        break;
    case 2:
        sqlite3_result_int(context, change->operation);
        break;
    case 3:
        amalgam_result_key(context, change->key_type, key, change->key_length);
        break;
    case 4:
        amalgam_result_key(context, change->new_key_type, new_key, change->new_key_length);
        break;
    default:
        /* The buffer outlives the statement. */
        sqlite3_result_blob64(context, columns, (size_t)(start + change->size - columns), SQLITE_STATIC);
    }
    return SQLITE_OK;
}

/* Without xCreate, the table is eponymous only: it can be used, but not created with CREATE VIRTUAL TABLE. */
static const sqlite3_module amalgam_recorded_module = {
    .xConnect = amalgam_recorded_connect,
    .xDisconnect = amalgam_recorded_disconnect,
    .xBestIndex = amalgam_recorded_best_index,
    .xOpen = amalgam_recorded_open,
    .xClose = amalgam_recorded_close,
    .xFilter = amalgam_recorded_filter,
    .xNext = amalgam_recorded_next,
    .xEof = amalgam_recorded_eof,
    .xColumn = amalgam_recorded_column,
    .xRowid = amalgam_recorded_rowid,
};

static const char amalgam_recorded_name[] = "amalgam_recorded_changes";

/* Returns NULL if the module isn't registered. SQLite frees the source with the module. */
static amalgam_recorded_source *amalgam_recorded_changes_source(sqlite3 *db) {
    const Module *module = sqlite3HashFind(&db->aModule, amalgam_recorded_name);
    return module != 0 && module->pModule == &amalgam_recorded_module ? module->pAux : 0;
}

static void amalgam_recorded_source_free(void *source) {
    amalgam_recorder *recorder = ((amalgam_recorded_source *)source)->recorders;
    for (; recorder != 0; recorder = recorder->next) recorder->source = 0;
    sqlite3_free(source);
}

static void amalgam_recorded_source_prepare(amalgam_recorded_source *source, sqlite3 *db);

static int amalgam_recorded_changes_register(sqlite3 *db) {
    if (amalgam_recorded_changes_source(db) != 0) return SQLITE_OK;
    amalgam_recorded_source *source = sqlite3_malloc64(sizeof *source);
    if (source == 0) return SQLITE_NOMEM;
    amalgam_recorded_source_prepare(source, db);
    /* SQLite also calls the destructor if this fails. */
    return sqlite3_create_module_v2(
        db, amalgam_recorded_name, &amalgam_recorded_module, source, amalgam_recorded_source_free);
}
