/*
** The log that recorded changes are stored in, without a program of the virtual machine for each row.
**
** The statement that stores changes reads them from a virtual table. When it begins to, the log is looked at. Where it has
** the shape below, and nobody wants to hear of its rows, they are appended to its b-trees right there, and none is left to
** read. Else the statement inserts them one by one. What it has done by then holds for both: the transaction is open,
** the schema is checked, and the authorizer was asked.
**
**     CREATE TABLE log (
**       id INTEGER PRIMARY KEY, originID INTEGER, tableID INTEGER, operation INTEGER, key, newKey, changes BLOB);
**     CREATE INDEX by_key ON log (tableID, key);
**     CREATE INDEX by_newKey ON log (tableID, newKey) WHERE newKey IS NOT NULL;
**
** The bytes are those that SQLite writes: https://sqlite.org/fileformat2.html#record_format.
*/

enum {
    AMALGAM_CHANGELOG_ID,
    AMALGAM_CHANGELOG_ORIGIN,
    AMALGAM_CHANGELOG_TABLE,
    AMALGAM_CHANGELOG_OPERATION,
    AMALGAM_CHANGELOG_KEY,
    AMALGAM_CHANGELOG_NEW_KEY,
    AMALGAM_CHANGELOG_CHANGES,
    AMALGAM_CHANGELOG_COLUMN_COUNT,
};

/* ---- Records ------------------------------------------------------------------------------- */

/* A value of a record. */
typedef struct amalgam_changelog_value {
    u64 serial_type;
    const uint8_t *bytes; /* NULL: the first of `number` */
    size_t length;
    uint8_t number[8];
} amalgam_changelog_value;

static void amalgam_changelog_set_number(amalgam_changelog_value *value, u64 serial_type, u64 bits, unsigned length) {
    value->serial_type = serial_type;
    value->bytes = 0;
    value->length = length;
    for (unsigned i = 0; i < length; i++) value->number[i] = (uint8_t)(bits >> (8 * (length - 1 - i)));
}

static void amalgam_changelog_set_integer(amalgam_changelog_value *value, int64_t integer) {
    const u64 magnitude = integer < 0 ? ~(u64)integer : (u64)integer;
    const u64 bits = (u64)integer;
    if (magnitude <= 1 && integer >= 0) amalgam_changelog_set_number(value, 8 + bits, 0, 0);
    else if (magnitude <= 0x7f) amalgam_changelog_set_number(value, 1, bits, 1);
    else if (magnitude <= 0x7fff) amalgam_changelog_set_number(value, 2, bits, 2);
    else if (magnitude <= 0x7fffff) amalgam_changelog_set_number(value, 3, bits, 3);
    else if (magnitude <= 0x7fffffff) amalgam_changelog_set_number(value, 4, bits, 4);
    else if (magnitude <= 0x7fffffffffff) amalgam_changelog_set_number(value, 5, bits, 6);
    else amalgam_changelog_set_number(value, 6, bits, 8);
}

static void amalgam_changelog_set_bytes(amalgam_changelog_value *value, const uint8_t *bytes, size_t length, int is_text) {
    value->serial_type = 2 * (u64)length + (is_text ? 13 : 12);
    value->bytes = bytes;
    value->length = length;
}

/* Sets a key, as a value of a record and of the virtual machine. */
static void amalgam_changelog_set_key(amalgam_changelog_value *value, Mem *mem, int type, const uint8_t *bytes, size_t length) {
    switch (type) {
    case SQLITE_INTEGER:
        memcpy(&mem->u.i, bytes, sizeof mem->u.i);
        mem->flags = MEM_Int;
        amalgam_changelog_set_integer(value, mem->u.i);
        break;
    case SQLITE_FLOAT: {
        u64 bits;
        memcpy(&bits, bytes, sizeof bits);
        memcpy(&mem->u.r, bytes, sizeof mem->u.r);
        mem->flags = MEM_Real;
        amalgam_changelog_set_number(value, 7, bits, 8);
        break;
    }
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        mem->flags = type == SQLITE_TEXT ? MEM_Str : MEM_Blob;
        mem->z = (char *)bytes;
        mem->n = (int)length;
        mem->enc = SQLITE_UTF8;
        amalgam_changelog_set_bytes(value, bytes, length, type == SQLITE_TEXT);
        break;
    default:
        mem->flags = MEM_Null;
        amalgam_changelog_set_number(value, 0, 0, 0);
    }
}

/* Bytes that grow. */
typedef struct amalgam_changelog_record {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} amalgam_changelog_record;

/* Puts values into a record. Their serial types fit into a header of less than 128 bytes. */
static int amalgam_changelog_write(
    amalgam_changelog_record *record, sqlite3 *db, const amalgam_changelog_value *values, int count
) {
    size_t head = 1;
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        head += (size_t)sqlite3VarintLen(values[i].serial_type);
        length += values[i].length;
    }
    length += head;
    if (length > (size_t)db->aLimit[SQLITE_LIMIT_LENGTH]) return SQLITE_TOOBIG;
    if (length > record->capacity) {
        size_t capacity = length + length / 2 + 128;
        uint8_t *bytes = sqlite3_realloc64(record->bytes, capacity);
        if (bytes == 0) return SQLITE_NOMEM;
        record->bytes = bytes;
        record->capacity = capacity;
    }
    uint8_t *end = record->bytes;
    *end++ = (uint8_t)head;
    for (int i = 0; i < count; i++) end += putVarint(end, values[i].serial_type);
    for (int i = 0; i < count; i++) {
        if (values[i].length > 0) memcpy(end, values[i].bytes ? values[i].bytes : values[i].number, values[i].length);
        end += values[i].length;
    }
    record->length = length;
    return SQLITE_OK;
}

/* ---- The shape of a log -------------------------------------------------------------------- */

typedef struct amalgam_changelog {
    sqlite3 *db;
    const Table *table;
    Index *by_key;
    Index *by_new_key;
} amalgam_changelog;

static int amalgam_changelog_has_columns(const Table *table) {
    static const struct {
        const char *name;
        char affinity;
    } columns[AMALGAM_CHANGELOG_COLUMN_COUNT] = {
        { "id", SQLITE_AFF_INTEGER }, { "originID", SQLITE_AFF_INTEGER }, { "tableID", SQLITE_AFF_INTEGER },
        { "operation", SQLITE_AFF_INTEGER }, { "key", SQLITE_AFF_BLOB }, { "newKey", SQLITE_AFF_BLOB },
        { "changes", SQLITE_AFF_BLOB },
    };
    if (table->nCol != AMALGAM_CHANGELOG_COLUMN_COUNT || table->iPKey != AMALGAM_CHANGELOG_ID) return 0;
    for (int i = 0; i < AMALGAM_CHANGELOG_COLUMN_COUNT; i++) {
        if (sqlite3StrICmp(table->aCol[i].zCnName, columns[i].name) != 0) return 0;
        if (table->aCol[i].affinity != columns[i].affinity) return 0;
    }
    return 1;
}

static int amalgam_changelog_is_condition(const Expr *where) {
    return where->op == TK_NOTNULL && where->pLeft != 0 && where->pLeft->op == TK_COLUMN
        && where->pLeft->iColumn == AMALGAM_CHANGELOG_NEW_KEY;
}

/* Finds the indexes; returns 0 when there is another one. */
static int amalgam_changelog_find_indexes(amalgam_changelog *log) {
    for (Index *index = log->table->pIndex; index != 0; index = index->pNext) {
        if (index->nKeyCol != 2 || index->nColumn != 3 || IsUniqueIndex(index)) return 0;
        if (index->aiColumn[0] != AMALGAM_CHANGELOG_TABLE || index->aiColumn[2] != XN_ROWID) return 0;
        for (int i = 0; i < 2; i++) {
            if (sqlite3StrICmp(index->azColl[i], sqlite3StrBINARY) != 0) return 0;
        }
        const Expr *where = index->pPartIdxWhere;
        if (index->aiColumn[1] == AMALGAM_CHANGELOG_KEY && where == 0 && log->by_key == 0) {
            log->by_key = index;
        } else if (
            index->aiColumn[1] == AMALGAM_CHANGELOG_NEW_KEY && where != 0 && amalgam_changelog_is_condition(where)
            && log->by_new_key == 0
        ) {
            log->by_new_key = index;
        } else {
            return 0;
        }
    }
    return log->by_key != 0 && log->by_new_key != 0;
}

/* Whether the main database has a log whose rows can be appended: nothing else happens when one is inserted. */
static int amalgam_changelog_find(amalgam_changelog *log, Parse *parse, const char *name) {
    sqlite3 *db = log->db;
    if (db->xPreUpdateCallback != 0 || db->xUpdateCallback != 0 || db->xProgress != 0) return 0;
    if (ENC(db) != SQLITE_UTF8 || db->aDb[0].pSchema->file_format < 4) return 0;
    Table *table = sqlite3FindTable(db, name, "main");
    if (table == 0 || !IsOrdinaryTable(table)) return 0;
    if (table->tabFlags & (TF_Autoincrement | TF_WithoutRowid | TF_HasGenerated | TF_Strict)) return 0;
    if (table->pCheck != 0 || table->u.tab.pFKey != 0 || sqlite3FkReferences(table) != 0) return 0;
    if (sqlite3TriggerList(parse, table) != 0) return 0;
    log->table = table;
    return amalgam_changelog_has_columns(table) && amalgam_changelog_find_indexes(log);
}

/* ---- Appending ----------------------------------------------------------------------------- */

/* Where rows go, and their entries in an index. */
typedef struct amalgam_changelog_tree {
    BtCursor cursor;
    KeyInfo *key; /* NULL: rows */
} amalgam_changelog_tree;

static int amalgam_changelog_open(amalgam_changelog_tree *tree, Parse *parse, Pgno root, Index *index) {
    sqlite3BtreeCursorZero(&tree->cursor);
    tree->key = index != 0 ? sqlite3KeyInfoOfIndex(parse, index) : 0;
    if (index != 0 && tree->key == 0) return parse->rc != SQLITE_OK ? parse->rc : SQLITE_NOMEM;
    return sqlite3BtreeCursor(parse->db->aDb[0].pBt, root, BTREE_WRCSR, tree->key, &tree->cursor);
}

static void amalgam_changelog_close(amalgam_changelog_tree *tree) {
    if (tree->cursor.pBtree != 0) sqlite3BtreeCloseCursor(&tree->cursor);
    sqlite3KeyInfoUnref(tree->key);
}

/* An entry of an index: the table, the key, and the row. */
static int amalgam_changelog_insert_key(
    amalgam_changelog_tree *tree, amalgam_changelog_record *record, sqlite3 *db, const amalgam_changelog_value *key, const Mem *key_mem,
    int64_t table, int64_t id
) {
    amalgam_changelog_value values[3] = { [1] = *key };
    Mem mems[3] = { { .flags = MEM_Int, .u = { .i = table } }, *key_mem, { .flags = MEM_Int, .u = { .i = id } } };
    amalgam_changelog_set_integer(&values[0], table);
    amalgam_changelog_set_integer(&values[2], id);
    int code = amalgam_changelog_write(record, db, values, 3);
    if (code != SQLITE_OK) return code;
    BtreePayload payload = { .pKey = record->bytes, .nKey = (i64)record->length, .aMem = mems, .nMem = 3 };
    return sqlite3BtreeInsert(&tree->cursor, &payload, 0, 0);
}

/* A row after all others. */
static int amalgam_changelog_insert_row(
    amalgam_changelog_tree *tree, amalgam_changelog_record *record, sqlite3 *db, const amalgam_changelog_value *values, int64_t id
) {
    int is_empty = 0;
    int code = amalgam_changelog_write(record, db, values, AMALGAM_CHANGELOG_COLUMN_COUNT);
    if (code == SQLITE_OK) code = sqlite3BtreeLast(&tree->cursor, &is_empty);
    if (code != SQLITE_OK) return code;
    BtreePayload payload = { .nKey = id, .pData = record->bytes, .nData = (int)record->length };
    /* The cursor is right before the place of the row. */
    return sqlite3BtreeInsert(&tree->cursor, &payload, BTREE_APPEND, is_empty ? 0 : -1);
}

/* The identifier of the last row; 0 for none. */
static int amalgam_changelog_last_id(amalgam_changelog_tree *tree, int64_t *id) {
    int is_empty = 0;
    int code = sqlite3BtreeLast(&tree->cursor, &is_empty);
    *id = code != SQLITE_OK || is_empty ? 0 : sqlite3BtreeIntegerKey(&tree->cursor);
    return code;
}

static int amalgam_changelog_append_changes(const amalgam_recorder *recorder, amalgam_changelog_tree trees[3], sqlite3 *db) {
    amalgam_changelog_record record = { 0 };
    amalgam_recorded_change change;
    int64_t id = 0;
    int code = amalgam_changelog_last_id(&trees[0], &id);
    /* A change takes more than one byte. SQLite looks for identifiers that are free when none is left at the end. */
    if (code == SQLITE_OK && id > LARGEST_INT64 - (int64_t)recorder->stored_length) return SQLITE_NOTFOUND;
    for (size_t offset = 0; code == SQLITE_OK && offset < recorder->stored_length; offset += change.size) {
        if (AtomicLoad(&db->u1.isInterrupted)) {
            code = SQLITE_INTERRUPT;
            break;
        }
        const uint8_t *start = recorder->stored + offset;
        memcpy(&change, start, sizeof change);
        const uint8_t *key = start + sizeof change;
        const uint8_t *new_key = key + change.key_length;
        const uint8_t *columns = new_key + change.new_key_length;
        const int64_t table = amalgam_recorder_table_id(recorder, &change);
        Mem key_mem = { .db = db };
        Mem new_key_mem = { .db = db };
        amalgam_changelog_value values[AMALGAM_CHANGELOG_COLUMN_COUNT];
        amalgam_changelog_set_number(&values[AMALGAM_CHANGELOG_ID], 0, 0, 0);
        amalgam_changelog_set_integer(&values[AMALGAM_CHANGELOG_ORIGIN], recorder->origin);
        amalgam_changelog_set_integer(&values[AMALGAM_CHANGELOG_TABLE], table);
        amalgam_changelog_set_integer(&values[AMALGAM_CHANGELOG_OPERATION], change.operation);
        amalgam_changelog_set_key(&values[AMALGAM_CHANGELOG_KEY], &key_mem, change.key_type, key, change.key_length);
        amalgam_changelog_set_key(
            &values[AMALGAM_CHANGELOG_NEW_KEY], &new_key_mem, change.new_key_type, new_key, change.new_key_length);
        amalgam_changelog_set_bytes(
            &values[AMALGAM_CHANGELOG_CHANGES], columns, (size_t)(start + change.size - columns), 0);
        code = amalgam_changelog_insert_row(&trees[0], &record, db, values, ++id);
        if (code == SQLITE_OK) {
            code = amalgam_changelog_insert_key(&trees[1], &record, db, &values[AMALGAM_CHANGELOG_KEY], &key_mem, table, id);
        }
        if (code == SQLITE_OK && change.new_key_type != SQLITE_NULL) {
            code = amalgam_changelog_insert_key(
                &trees[2], &record, db, &values[AMALGAM_CHANGELOG_NEW_KEY], &new_key_mem, table, id);
        }
    }
    sqlite3_free(record.bytes);
    return code;
}

/*
** Appends all changes that are being stored to a log of the main database, from inside of a statement that inserts into
** it.
**
** SQLITE_NOTFOUND: nothing was done, as more may have to happen than to append rows.
*/
static int amalgam_changelog_append(const amalgam_recorder *recorder, sqlite3 *db, const char *name) {
    amalgam_changelog log = { .db = db };
    Parse parse;
    sqlite3ParseObjectInit(&parse, db);
    int code = SQLITE_NOTFOUND;
    if (amalgam_changelog_find(&log, &parse, name)) {
        amalgam_changelog_tree trees[3];
        memset(trees, 0, sizeof trees);
        code = amalgam_changelog_open(&trees[0], &parse, log.table->tnum, 0);
        if (code == SQLITE_OK) code = amalgam_changelog_open(&trees[1], &parse, log.by_key->tnum, log.by_key);
        if (code == SQLITE_OK) code = amalgam_changelog_open(&trees[2], &parse, log.by_new_key->tnum, log.by_new_key);
        if (code == SQLITE_OK) code = amalgam_changelog_append_changes(recorder, trees, db);
        for (int i = 2; i >= 0; i--) amalgam_changelog_close(&trees[i]);
    }
    sqlite3ParseObjectReset(&parse);
    return code;
}
