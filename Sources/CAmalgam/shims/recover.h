/* Recovery of damaged files: see include/amalgam_recover.h, and recover_calls.h for what SQLite's code calls. */

/* A vendor folder that an earlier scripts/bootstrap has filled has no recover.c. */
#ifndef AMALGAM_RECOVERY
#define AMALGAM_RECOVERY 0
#endif

int amalgam_build_has_recovery(void) { return AMALGAM_RECOVERY; }

#if AMALGAM_RECOVERY

/* ---- Tokens -------------------------------------------------------------------------------- */

/* Moves to the next token that isn't a space or a comment. Returns its type; 0 at the end, or at characters that are no token. */
static int amalgam_recover_token(const unsigned char **position, const unsigned char **start, int *length) {
    int type = 0;
    do {
        if (**position == 0) return 0;
        *start = *position;
        *length = (int)sqlite3GetToken(*position, &type);
        if (*length <= 0 || type == TK_ILLEGAL) return 0;
        *position += *length;
    } while (type == TK_SPACE || type == TK_COMMENT);
    return type;
}

static int amalgam_recover_is_word(const unsigned char *start, int length, const char *word) {
    return length == (int)strlen(word) && sqlite3_strnicmp((const char *)start, word, length) == 0;
}

/* The name of the module in the SQL of a virtual table, allocated, and empty if there is none. NULL if memory is exhausted. */
static char *amalgam_recover_module_name(const char *sql) {
    const unsigned char *position = (const unsigned char *)sql, *start = position;
    int length = 0, type;
    char *name;
    while ((type = amalgam_recover_token(&position, &start, &length)) != 0 && type != TK_USING) {}
    if (type == 0 || amalgam_recover_token(&position, &start, &length) == 0) length = 0;
    name = sqlite3_mprintf("%.*s", length, start);
    if (name) sqlite3Dequote(name);
    return name;
}

/* Whether an argument of a full-text table says that it stores no content: content=''. */
static int amalgam_recover_is_contentless(const char *sql) {
    const unsigned char *position = (const unsigned char *)sql, *start = position;
    int length = 0, depth = 0, is_first = 0, type;
    while ((type = amalgam_recover_token(&position, &start, &length)) != 0) {
        if (type == TK_LP) depth++;
        if (type == TK_RP) depth--;
        if (is_first && amalgam_recover_is_word(start, length, "content")) {
            type = amalgam_recover_token(&position, &start, &length);
            if (type == TK_EQ && length == 1) {
                type = amalgam_recover_token(&position, &start, &length);
                if (type == TK_COMMA || type == TK_RP) return 1;
                if (length == 2 && (start[0] == '\'' || start[0] == '"' || start[0] == '`' || start[0] == '[')) return 1;
            }
        }
        is_first = depth == 1 && (type == TK_LP || type == TK_COMMA);
    }
    return 0;
}

static int amalgam_recover_is_full_text(const char *module) {
    return sqlite3_stricmp(module, "fts5") == 0 || sqlite3_stricmp(module, "fts4") == 0 || sqlite3_stricmp(module, "fts3") == 0;
}

/* ---- Statements of the damaged file -------------------------------------------------------- */

/*
** A file from elsewhere can hold any SQL where a schema belongs. A table created from a SELECT could call functions of the
** application, and temporary objects could take the place of those of the schema.
*/
static int amalgam_recover_authorize(
    void *context, int action, const char *first, const char *second, const char *schema, const char *trigger
) {
    const int is_virtual = *(const int *)context;
    (void)first, (void)second, (void)trigger;
    switch (action) {
        case SQLITE_CREATE_TABLE:
        case SQLITE_CREATE_INDEX:
        case SQLITE_CREATE_VIEW:
        case SQLITE_CREATE_TRIGGER:
        case SQLITE_INSERT:
        case SQLITE_UPDATE:
        case SQLITE_DELETE:
            return schema == 0 || sqlite3_stricmp(schema, "main") == 0 ? SQLITE_OK : SQLITE_DENY;
        case SQLITE_READ:
        case SQLITE_FUNCTION:
        case SQLITE_REINDEX:
            return SQLITE_OK;
        case SQLITE_CREATE_VTABLE:
        case SQLITE_DROP_TABLE:
        case SQLITE_DROP_VTABLE:
        case SQLITE_SELECT:
        case SQLITE_SAVEPOINT:
        case SQLITE_PRAGMA:
            return is_virtual ? SQLITE_OK : SQLITE_DENY;
        default: return SQLITE_DENY;
    }
}

/* Whether an error ends the recovery. All others concern one statement: it was damaged, or needs what the connection lacks. */
static int amalgam_recover_is_fatal(int code) {
    switch (code & 0xff) {
        case SQLITE_NOMEM:
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_INTERRUPT:
        case SQLITE_BUSY:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN: return 1;
        default: return 0;
    }
}

static int amalgam_recover_run(sqlite3 *db, const char *sql, int is_virtual) {
    const sqlite3_xauth outer = db->xAuth;
    void *const context = db->pAuthArg;
    const u64 flags = db->flags & (SQLITE_DqsDDL | SQLITE_DqsDML);
    sqlite3_stmt *statement = 0;
    int code;
    if (sql == 0) return SQLITE_ERROR;
    db->xAuth = amalgam_recover_authorize;
    db->pAuthArg = &is_virtual;
    /* As when SQLite reads a schema, a string in double quotes is accepted. */
    db->flags |= SQLITE_DqsDDL | SQLITE_DqsDML;
    code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
    if (code == SQLITE_OK && statement == 0) code = SQLITE_ERROR;
    if (code == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {}
    }
    if (statement) {
        const int final = sqlite3_finalize(statement);
        if (code == SQLITE_OK) code = final;
    }
    db->xAuth = outer;
    db->pAuthArg = context;
    db->flags = (db->flags & ~(u64)(SQLITE_DqsDDL | SQLITE_DqsDML)) | flags;
    return code == SQLITE_OK || amalgam_recover_is_fatal(code) ? code : SQLITE_ERROR;
}

/* ---- What SQLite's code calls -------------------------------------------------------------- */

/* Returns 1 if a page is counted for the first time. Before the number of pages is known, none is counted. */
static int amalgam_recover_count_page(Bitvec *pages, i64 page, i64 page_count) {
    if (page <= 0 || page > page_count || pages == 0) return 0;
    if (sqlite3BitvecTestNotNull(pages, (u32)page)) return 0;
    return sqlite3BitvecSet(pages, (u32)page) == SQLITE_OK;
}

static void amalgam_recover_did_read(sqlite3_recover *p, i64 page) {
    amalgam_recover *owner = p->pOwner;
    owner->read_pages += amalgam_recover_count_page(owner->pages, page, owner->page_count);
}

static int amalgam_recover_skips_page(sqlite3_recover *p, i64 page, int code) {
    amalgam_recover *owner = p->pOwner;
    if (code == SQLITE_OK) return 0;
    /* A page that the key doesn't decrypt. */
    if ((code & 0xff) == SQLITE_CORRUPT) {
        owner->unreadable_pages += amalgam_recover_count_page(owner->unreadable, page, owner->page_count);
        return 1;
    }
    if (p->errCode == SQLITE_OK) recoverError(p, code, "%s", sqlite3_errmsg(p->dbIn));
    return 0;
}

static void amalgam_recover_begin_settings(sqlite3_recover *p) { amalgam_forget_encoding(p->dbOut); }

static int amalgam_recover_wants_setting(sqlite3_recover *p, const char *pragma) {
    return strcmp(pragma, "page_size") != 0 || amalgam_cipher_reserve(p->dbOut, "main") == 0;
}

static int amalgam_recover_create(sqlite3_recover *p, const char *sql) { return amalgam_recover_run(p->dbOut, sql, 0); }

static int amalgam_recover_create_virtual(sqlite3_recover *p, const char *name, const char *sql) {
    amalgam_recover *owner = p->pOwner;
    amalgam_recover_virtual *entry;
    int code = SQLITE_OK;
    void *grown = sqlite3_realloc64(owner->virtuals, (owner->virtual_count + 1) * sizeof(amalgam_recover_virtual));
    if (grown == 0) return p->errCode = SQLITE_NOMEM;
    owner->virtuals = grown;
    entry = &owner->virtuals[owner->virtual_count];
    entry->name = sqlite3_mprintf("%s", name ? name : "");
    entry->sql = sqlite3_mprintf("%s", sql ? sql : "");
    entry->module = amalgam_recover_module_name(entry->sql ? entry->sql : "");
    entry->state = AMALGAM_VIRTUAL_MISSING;
    owner->virtual_count++;
    if (entry->name == 0 || entry->sql == 0 || entry->module == 0) return p->errCode = SQLITE_NOMEM;
    if (!amalgam_recover_is_full_text(entry->module) || amalgam_recover_is_contentless(entry->sql)) return SQLITE_OK;
    code = amalgam_recover_run(p->dbOut, sql, 1);
    /* A table of another name would have other tables for its content. */
    if (code == SQLITE_OK && sqlite3FindTable(p->dbOut, entry->name, "main")) entry->state = AMALGAM_VIRTUAL_CREATED;
    return code;
}

static int amalgam_recover_is_shadow(sqlite3_recover *p, const char *name, int *wants_rows) {
    static const char *const suffixes[] = {"content", "config", "data", "idx", "docsize", "segments", "segdir", "stat"};
    const amalgam_recover *owner = p->pOwner;
    *wants_rows = 0;
    if (name == 0) return 0;
    for (int i = 0; i < owner->virtual_count; i++) {
        const amalgam_recover_virtual *table = &owner->virtuals[i];
        const int length = (int)strlen(table->name);
        if (table->state != AMALGAM_VIRTUAL_CREATED || sqlite3_strnicmp(name, table->name, length) != 0) continue;
        if (name[length] != '_') continue;
        for (int j = 0; j < ArraySize(suffixes); j++) {
            if (sqlite3_stricmp(name + length + 1, suffixes[j]) != 0) continue;
            if (sqlite3FindTable(p->dbOut, name, "main") == 0) continue;
            *wants_rows = j <= 1;
            return 1;
        }
    }
    return 0;
}

static const char *amalgam_recover_rowid_name(RecoverTable *table) {
    static const char *const names[] = {"_rowid_", "rowid", "oid"};
    for (int i = 0; i < ArraySize(names); i++) {
        int is_column = 0;
        for (int j = 0; j < table->nCol && !is_column; j++) is_column = sqlite3_stricmp(table->aCol[j].zCol, names[i]) == 0;
        if (!is_column) return names[i];
    }
    return 0;
}

static sqlite3_stmt *amalgam_recover_prepare_insert(sqlite3_recover *p, const char *sql) {
    sqlite3_stmt *statement = 0;
    int code;
    if (p->errCode != SQLITE_OK) return 0;
    code = sqlite3_prepare_v2(p->dbOut, sql, -1, &statement, 0);
    if (code != SQLITE_OK && amalgam_recover_is_fatal(code)) recoverDbError(p, p->dbOut);
    return statement;
}

static void amalgam_recover_insert(sqlite3_recover *p, RecoverTable *table, sqlite3_stmt *statement) {
    amalgam_recover *owner = p->pOwner;
    int code = SQLITE_ERROR;
    if (p->errCode != SQLITE_OK) return;
    if (statement) {
        sqlite3_step(statement);
        code = sqlite3_reset(statement);
    }
    if (code == SQLITE_OK && sqlite3_changes64(p->dbOut) > 0) {
        table->nSaved++;
        owner->saved_rows++;
        return;
    }
    /* An expression of the table, such as a CHECK constraint, may fail for a damaged row, with the code of any function. */
    if (amalgam_recover_is_fatal(code) || (code & 0xff) == SQLITE_CORRUPT) {
        recoverError(p, code, "%s", sqlite3_errmsg(p->dbOut));
        return;
    }
    table->nRefused++;
    owner->refused_rows++;
}

static int amalgam_recover_lost_columns(sqlite3_recover *p, int wanted) {
    const int columns = sqlite3_limit(p->dbOut, SQLITE_LIMIT_COLUMN, -1) - 4;
    const int arguments = sqlite3_limit(p->dbOut, SQLITE_LIMIT_VARIABLE_NUMBER, -1) - 4;
    const int limit = columns < arguments ? columns : arguments;
    return wanted < limit ? wanted : limit < 0 ? 0 : limit;
}

static void amalgam_recover_note_lost_table(sqlite3_recover *p, const char *name) {
    if (name == 0) return;
    sqlite3_free(p->pOwner->lost_table);
    p->pOwner->lost_table = sqlite3_mprintf("%s", name);
    if (p->pOwner->lost_table == 0) p->pOwner->is_out_of_memory = 1;
}

static void amalgam_recover_note_table(sqlite3_recover *p, const char *name, i64 saved, i64 refused) {
    amalgam_recover *owner = p->pOwner;
    void *grown = sqlite3_realloc64(owner->tables, (owner->table_count + 1) * sizeof(amalgam_recovered_table));
    char *copy = sqlite3_mprintf("%s", name);
    if (grown) owner->tables = grown;
    if (grown == 0 || copy == 0) {
        owner->is_out_of_memory = 1;
        sqlite3_free(copy);
        return;
    }
    owner->tables[owner->table_count++] = (amalgam_recovered_table){copy, saved, refused};
}

static void amalgam_recover_release(sqlite3_recover *p) {
    sqlite3 *db = p->dbOut;
    if (db == 0) return;
    if (!db->autoCommit) amalgam_rollback(db);
    sqlite3_create_function(db, "getpage", 1, SQLITE_UTF8, 0, 0, 0, 0);
    sqlite3_create_function(db, "page_is_used", 1, SQLITE_UTF8, 0, 0, 0, 0);
    sqlite3_create_function(db, "read_i32", 2, SQLITE_UTF8, 0, 0, 0, 0);
    sqlite3_create_function(db, "escape_crlf", 1, SQLITE_UTF8, 0, 0, 0, 0);
    sqlite3_create_module(db, "sqlite_dbdata", 0, 0);
    sqlite3_create_module(db, "sqlite_dbptr", 0, 0);
}

static int amalgam_recover_is_clear(sqlite3_recover *p) {
    const int reserve = amalgam_cipher_reserve(p->dbIn, "main");
    p->pOwner->is_encrypted = reserve > 0;
    /* The codec's bytes at the end of each page aren't those of a row. */
    if (reserve > 0) p->nReserve = reserve;
    return reserve == 0;
}

/* ---- The page size ------------------------------------------------------------------------- */

static int amalgam_recover_is_page_size(u32 size) { return size >= 512 && size <= 65536 && (size & (size - 1)) == 0; }

/* Whether bytes look like a page of a B-tree: its type, and where it says that its cells are. */
static int amalgam_recover_is_tree_page(const u8 *bytes, u32 size) {
    const u32 header = bytes[0] == 0x02 || bytes[0] == 0x05 ? 12 : 8;
    const u32 cells = recoverGetU16(&bytes[3]);
    u32 content = recoverGetU16(&bytes[5]);
    if (bytes[0] != 0x02 && bytes[0] != 0x05 && bytes[0] != 0x0a && bytes[0] != 0x0d) return 0;
    if (content == 0) content = 65536;
    return cells > 0 && header + 2 * cells <= content && content < size;
}

static int amalgam_recover_guess_page_size(sqlite3_file *file, i64 size, u32 *page_size) {
    i64 bytes_of_pages[8] = {0};
    i64 best = 0;
    int code = SQLITE_OK;
    u8 *block = sqlite3_malloc(65536);
    if (block == 0) return SQLITE_NOMEM;
    for (i64 offset = 0; code == SQLITE_OK && offset < size && offset < 64 * 65536; offset += 65536) {
        const int length = size - offset < 65536 ? (int)(size - offset) : 65536;
        memset(block, 0, 65536);
        code = file->pMethods->xRead(file, block, length, offset);
        for (int i = 0; i < ArraySize(bytes_of_pages); i++) {
            const u32 wanted = 512u << i;
            for (u32 page = 0; page + wanted <= (u32)length; page += wanted) {
                if (amalgam_recover_is_tree_page(block + page, wanted)) bytes_of_pages[i] += wanted;
            }
        }
    }
    sqlite3_free(block);
    for (int i = 0; i < ArraySize(bytes_of_pages); i++) {
        if (bytes_of_pages[i] > best) best = bytes_of_pages[i];
    }
    *page_size = 4096;
    /* With half of the right size, every second page looks like one; with twice the size, all may. */
    for (int i = ArraySize(bytes_of_pages) - 1; i >= 0 && best > 0; i--) {
        if (bytes_of_pages[i] * 4 >= best * 3) *page_size = 512u << i;
    }
    return code;
}

/* ---- A recovery ---------------------------------------------------------------------------- */

amalgam_recover *amalgam_recover_begin(
    sqlite3 *input, sqlite3 *output, const char *lost_table, int includes_free_pages, int keeps_rowids
) {
    amalgam_recover *recover = sqlite3_malloc(sizeof(amalgam_recover));
    int code = SQLITE_OK;
    if (recover == 0) return 0;
    memset(recover, 0, sizeof(amalgam_recover));
    recover->input = input;
    recover->output = output;
    recover->work = sqlite3_recover_init(input, "main", "");
    if (recover->work == 0) {
        sqlite3_free(recover);
        return 0;
    }
    recover->work->pOwner = recover;
    if (lost_table) code = sqlite3_recover_config(recover->work, SQLITE_RECOVER_LOST_AND_FOUND, (void *)lost_table);
    sqlite3_recover_config(recover->work, SQLITE_RECOVER_FREELIST_CORRUPT, &includes_free_pages);
    sqlite3_recover_config(recover->work, SQLITE_RECOVER_ROWIDS, &keeps_rowids);
    if (code != SQLITE_OK || recover->work->errCode != SQLITE_OK) {
        amalgam_recover_end(recover);
        return 0;
    }
    /* SQLite's code compares primary result codes. */
    sqlite3_extended_result_codes(input, 0);
    sqlite3_extended_result_codes(output, 0);
    return recover;
}

int amalgam_recover_work(amalgam_recover *recover, int steps) {
    int code = SQLITE_OK;
    for (int i = 0; i < steps && code == SQLITE_OK; i++) {
        const int state = recover->work->eState;
        /* The last step takes long, and the caller is told before. */
        if (state == RECOVER_STATE_SCHEMA2 && i > 0) break;
        code = sqlite3_recover_step(recover->work);
        if (state == RECOVER_STATE_INIT && code == SQLITE_OK) {
            recover->page_count = recoverPageCount(recover->work);
            if (recover->page_count > 0 && recover->page_count < 0xffffffff) {
                recover->pages = sqlite3BitvecCreate((u32)recover->page_count);
                recover->unreadable = sqlite3BitvecCreate((u32)recover->page_count);
            }
            code = recover->work->errCode;
        }
    }
    switch (recover->work->eState) {
        case RECOVER_STATE_INIT:
        case RECOVER_STATE_WRITING: recover->phase = AMALGAM_RECOVER_TABLES; break;
        case RECOVER_STATE_SCHEMA2: recover->phase = AMALGAM_RECOVER_INDEXES; break;
        case RECOVER_STATE_DONE: recover->phase = AMALGAM_RECOVER_DONE; break;
        default: recover->phase = AMALGAM_RECOVER_LOST;
    }
    return code == SQLITE_DONE && recover->is_out_of_memory ? SQLITE_NOMEM : code;
}

const char *amalgam_recover_message(const amalgam_recover *recover) { return recover->work->zErrMsg; }

void amalgam_recover_end(amalgam_recover *recover) {
    if (recover == 0) return;
    sqlite3_recover_finish(recover->work);
    sqlite3_extended_result_codes(recover->input, 1);
    sqlite3_extended_result_codes(recover->output, 1);
    for (int i = 0; i < recover->table_count; i++) sqlite3_free((void *)recover->tables[i].name);
    for (int i = 0; i < recover->virtual_count; i++) {
        sqlite3_free(recover->virtuals[i].name);
        sqlite3_free(recover->virtuals[i].sql);
        sqlite3_free(recover->virtuals[i].module);
    }
    sqlite3_free(recover->tables);
    sqlite3_free(recover->virtuals);
    sqlite3_free(recover->lost_table);
    sqlite3BitvecDestroy(recover->pages);
    sqlite3BitvecDestroy(recover->unreadable);
    sqlite3_free(recover);
}

amalgam_recover_progress amalgam_recover_get_progress(const amalgam_recover *recover) {
    return (amalgam_recover_progress){
        recover->phase,      recover->page_count,   recover->read_pages, recover->unreadable_pages,
        recover->saved_rows, recover->refused_rows, recover->lost_rows};
}

int amalgam_recover_table_count(const amalgam_recover *recover) { return recover->table_count; }

amalgam_recovered_table amalgam_recover_table(const amalgam_recover *recover, int index) { return recover->tables[index]; }

const char *amalgam_recover_lost_table(const amalgam_recover *recover) { return recover->lost_table; }

int amalgam_recover_virtual_count(const amalgam_recover *recover) { return recover->virtual_count; }

const char *amalgam_recover_virtual_name(const amalgam_recover *recover, int index) { return recover->virtuals[index].name; }

const char *amalgam_recover_virtual_sql(const amalgam_recover *recover, int index) { return recover->virtuals[index].sql; }

const char *amalgam_recover_virtual_module(const amalgam_recover *recover, int index) { return recover->virtuals[index].module; }

int amalgam_recover_virtual_state(const amalgam_recover *recover, int index) { return recover->virtuals[index].state; }

#else

amalgam_recover *amalgam_recover_begin(sqlite3 *input, sqlite3 *output, const char *lost_table, int free_pages, int rowids) {
    (void)input, (void)output, (void)lost_table, (void)free_pages, (void)rowids;
    return 0;
}
int amalgam_recover_work(amalgam_recover *recover, int steps) { return (void)recover, (void)steps, SQLITE_ERROR; }
const char *amalgam_recover_message(const amalgam_recover *recover) { return (void)recover, (const char *)0; }
void amalgam_recover_end(amalgam_recover *recover) { (void)recover; }
amalgam_recover_progress amalgam_recover_get_progress(const amalgam_recover *recover) {
    (void)recover;
    return (amalgam_recover_progress){0};
}
int amalgam_recover_table_count(const amalgam_recover *recover) { return (void)recover, 0; }
amalgam_recovered_table amalgam_recover_table(const amalgam_recover *recover, int index) {
    (void)recover, (void)index;
    return (amalgam_recovered_table){0};
}
const char *amalgam_recover_lost_table(const amalgam_recover *recover) { return (void)recover, (const char *)0; }
int amalgam_recover_virtual_count(const amalgam_recover *recover) { return (void)recover, 0; }
const char *amalgam_recover_virtual_name(const amalgam_recover *recover, int i) { return (void)recover, (void)i, (const char *)0; }
const char *amalgam_recover_virtual_sql(const amalgam_recover *recover, int i) { return (void)recover, (void)i, (const char *)0; }
const char *amalgam_recover_virtual_module(const amalgam_recover *recover, int i) { return (void)recover, (void)i, (const char *)0; }
int amalgam_recover_virtual_state(const amalgam_recover *recover, int index) { return (void)recover, (void)index, 0; }

#endif

/* ---- Copies of files ----------------------------------------------------------------------- */

#define AMALGAM_RECOVER_CHUNK 65536
#define AMALGAM_RECOVER_SECTOR 512

typedef struct {
    sqlite3_vfs *vfs;
    void *owner;
    int (*goes_on)(void *owner, int64_t copied, int64_t total);
    int64_t copied;
    i64 total;
    int64_t *unreadable_bytes;
    u8 *buffer;
} amalgam_recover_copier;

static sqlite3_file *amalgam_recover_open_file(sqlite3_vfs *vfs, const char *path, int flags, int *code) {
    sqlite3_file *file = sqlite3_malloc(vfs->szOsFile);
    if (file == 0) {
        *code = SQLITE_NOMEM;
        return 0;
    }
    memset(file, 0, vfs->szOsFile);
    *code = vfs->xOpen(vfs, path, file, flags, 0);
    if (*code == SQLITE_OK) return file;
    sqlite3_free(file);
    return 0;
}

static void amalgam_recover_close_file(sqlite3_file *file) {
    if (file == 0) return;
    if (file->pMethods) file->pMethods->xClose(file);
    sqlite3_free(file);
}

/* Reads a part of the database file. What can't be read is read again in sectors; a sector that can't be is zeros. */
static int amalgam_recover_read(amalgam_recover_copier *copier, sqlite3_file *file, int length, i64 offset) {
    int code = file->pMethods->xRead(file, copier->buffer, length, offset);
    if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ || (code & 0xff) != SQLITE_IOERR) {
        return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
    }
    for (int i = 0; i < length; i += AMALGAM_RECOVER_SECTOR) {
        const int part = length - i < AMALGAM_RECOVER_SECTOR ? length - i : AMALGAM_RECOVER_SECTOR;
        code = file->pMethods->xRead(file, copier->buffer + i, part, offset + i);
        if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) continue;
        memset(copier->buffer + i, 0, part);
        *copier->unreadable_bytes += part;
    }
    return SQLITE_OK;
}

static int amalgam_recover_copy_open(amalgam_recover_copier *copier, sqlite3_file *source, sqlite3_file *target) {
    i64 size = 0;
    int code = source->pMethods->xFileSize(source, &size);
    for (i64 offset = 0; code == SQLITE_OK && offset < size; offset += AMALGAM_RECOVER_CHUNK) {
        const int length = size - offset < AMALGAM_RECOVER_CHUNK ? (int)(size - offset) : AMALGAM_RECOVER_CHUNK;
        code = amalgam_recover_read(copier, source, length, offset);
        if (code == SQLITE_OK) code = target->pMethods->xWrite(target, copier->buffer, length, offset);
        copier->copied += length;
        if (code == SQLITE_OK && !copier->goes_on(copier->owner, copier->copied, copier->total)) code = SQLITE_INTERRUPT;
    }
    return code;
}

/* Copies a WAL file or a journal, if there is one. */
static int amalgam_recover_copy_log(amalgam_recover_copier *copier, const char *from, const char *to, const char *suffix, int type) {
    char *source_path = sqlite3_mprintf("%s%s", from, suffix), *target_path = sqlite3_mprintf("%s%s", to, suffix);
    sqlite3_filename source_name = source_path ? sqlite3_create_filename(source_path, "", "", 0, 0) : 0;
    sqlite3_filename target_name = target_path ? sqlite3_create_filename(target_path, "", "", 0, 0) : 0;
    sqlite3_file *source = 0, *target = 0;
    int exists = 0, code = source_name && target_name ? SQLITE_OK : SQLITE_NOMEM;
    if (code == SQLITE_OK) code = copier->vfs->xAccess(copier->vfs, source_path, SQLITE_ACCESS_EXISTS, &exists);
    if (code == SQLITE_OK && exists) {
        source = amalgam_recover_open_file(copier->vfs, source_name, SQLITE_OPEN_READONLY | type, &code);
        if (source) {
            const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_DB;
            target = amalgam_recover_open_file(copier->vfs, target_name, flags, &code);
        }
        if (target) code = amalgam_recover_copy_open(copier, source, target);
    }
    amalgam_recover_close_file(target);
    amalgam_recover_close_file(source);
    sqlite3_free_filename(source_name);
    sqlite3_free_filename(target_name);
    sqlite3_free(source_path);
    sqlite3_free(target_path);
    return code;
}

/* Excludes writers and checkpoints of a WAL file that may be in use. Sets `is_locked` if there is one. */
static int amalgam_recover_lock_wal(sqlite3_vfs *vfs, sqlite3_file *file, const char *path, int *is_locked) {
    char *index = sqlite3_mprintf("%s-shm", path);
    void volatile *memory = 0;
    int exists = 0, code;
    if (index == 0) return SQLITE_NOMEM;
    code = vfs->xAccess(vfs, index, SQLITE_ACCESS_EXISTS, &exists);
    sqlite3_free(index);
    if (code != SQLITE_OK || !exists || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == 0) return code;
    /* A folder that can't be written may hold an index that nobody can open: no connection writes to the WAL file then. */
    code = file->pMethods->xShmMap(file, 0, WALINDEX_PGSZ, 0, &memory);
    if (code == SQLITE_OK) {
        code = file->pMethods->xShmLock(file, WAL_WRITE_LOCK, 2, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
        if (code == SQLITE_OK) *is_locked = 1;
        return code;
    }
    return (code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN ? SQLITE_OK : code;
}

static int amalgam_recover_copy_all(amalgam_recover_copier *copier, const char *from, const char *to) {
    sqlite3_filename source_name = sqlite3_create_filename(from, "", "", 0, 0);
    sqlite3_filename target_name = sqlite3_create_filename(to, "", "", 0, 0);
    sqlite3_file *source = 0, *target = 0;
    int is_wal_locked = 0, code = source_name && target_name ? SQLITE_OK : SQLITE_NOMEM;
    if (code == SQLITE_OK) {
        source = amalgam_recover_open_file(copier->vfs, source_name, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, &code);
    }
    if (source) {
        code = source->pMethods->xLock(source, SQLITE_LOCK_SHARED);
        if (code == SQLITE_OK) code = amalgam_recover_lock_wal(copier->vfs, source, from, &is_wal_locked);
        if (code == SQLITE_OK) code = source->pMethods->xFileSize(source, &copier->total);
        if (code == SQLITE_OK) {
            const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_MAIN_DB;
            target = amalgam_recover_open_file(copier->vfs, target_name, flags, &code);
        }
        if (target) code = amalgam_recover_copy_open(copier, source, target);
        amalgam_recover_close_file(target);
        if (code == SQLITE_OK) code = amalgam_recover_copy_log(copier, from, to, "-wal", SQLITE_OPEN_WAL);
        if (code == SQLITE_OK) code = amalgam_recover_copy_log(copier, from, to, "-journal", SQLITE_OPEN_MAIN_JOURNAL);
        if (is_wal_locked) source->pMethods->xShmLock(source, WAL_WRITE_LOCK, 2, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
        if (source->pMethods->iVersion >= 2 && source->pMethods->xShmUnmap) source->pMethods->xShmUnmap(source, 0);
        source->pMethods->xUnlock(source, SQLITE_LOCK_NONE);
    }
    amalgam_recover_close_file(source);
    sqlite3_free_filename(source_name);
    sqlite3_free_filename(target_name);
    return code;
}

int amalgam_recover_copy(
    const char *from, const char *to, void *owner, int (*goes_on)(void *owner, int64_t copied, int64_t total),
    int64_t *unreadable_bytes
) {
    amalgam_recover_copier copier = {0};
    char *path;
    int code = sqlite3_initialize();
    *unreadable_bytes = 0;
    if (code != SQLITE_OK) return code;
    copier.vfs = sqlite3_vfs_find(0);
    copier.owner = owner;
    copier.goes_on = goes_on;
    copier.unreadable_bytes = unreadable_bytes;
    copier.buffer = sqlite3_malloc(AMALGAM_RECOVER_CHUNK);
    /* The WAL file and the journal are next to the file that a symbolic link leads to. */
    path = sqlite3_malloc(copier.vfs->mxPathname + 2);
    if (copier.buffer == 0 || path == 0) {
        code = SQLITE_NOMEM;
    } else {
        memset(path, 0, copier.vfs->mxPathname + 2);
        code = copier.vfs->xFullPathname(copier.vfs, from, copier.vfs->mxPathname + 1, path);
        if ((code & 0xff) == SQLITE_OK) code = amalgam_recover_copy_all(&copier, path, to);
    }
    sqlite3_free(path);
    sqlite3_free(copier.buffer);
    return code;
}

/* ---- The first page of an encrypted file --------------------------------------------------- */

#ifdef SQLITE_HAS_CODEC

/* Writes the header of an empty database to a page. */
static void amalgam_recover_write_header(u8 *page, const codec_ctx *codec, i64 size) {
    memset(page, 0, codec->page_sz);
    memcpy(page, "SQLite format 3", 16);
    page[16] = (u8)((codec->page_sz >> 8) & 0xff);
    page[17] = (u8)((codec->page_sz >> 16) & 0xff);
    page[18] = page[19] = 1;
    page[20] = (u8)codec->reserve_sz;
    page[21] = 64;
    page[22] = page[23] = 32;
    /* The number of pages counts if the two numbers of changes are equal. */
    sqlite3Put4byte(page + 24, 1);
    sqlite3Put4byte(page + 28, (u32)(size / codec->page_sz));
    sqlite3Put4byte(page + 44, 4);
    sqlite3Put4byte(page + 56, SQLITE_UTF8);
    sqlite3Put4byte(page + 92, 1);
    sqlite3Put4byte(page + 96, SQLITE_VERSION_NUMBER);
    page[100] = 0x0d;
    put2byte(page + 105, (codec->page_sz - codec->reserve_sz) & 0xffff);
}

static int amalgam_recover_replace_first_page(sqlite3 *db) {
    codec_ctx *codec = amalgam_codec(amalgam_schema_named(db, "main"));
    sqlite3_file *file = sqlite3PagerFile(sqlite3BtreePager(db->aDb[0].pBt));
    i64 size = 0;
    int is_right = 0, code;
    u8 *input, *output;
    if (codec == 0 || file->pMethods == 0) return SQLITE_NOTADB;
    if (codec->plaintext_header_sz > 0) return SQLITE_NOTADB;
    code = sqlite3OsFileSize(file, &size);
    if (code == SQLITE_OK) code = sqlcipher_codec_key_derive(codec);
    if (code != SQLITE_OK) return code;
    input = sqlite3_malloc(codec->page_sz);
    output = sqlite3_malloc(codec->page_sz);
    if (input == 0 || output == 0) code = SQLITE_NOMEM;
    for (i64 page = 2; code == SQLITE_OK && !is_right && page <= size / codec->page_sz; page++) {
        code = sqlite3OsRead(file, input, codec->page_sz, (page - 1) * codec->page_sz);
        if (code != SQLITE_OK) break;
        is_right = sqlcipher_page_cipher(codec, CIPHER_READ_CTX, (Pgno)page, SQLCIPHER_DECRYPT, codec->page_sz, input, output)
            == SQLITE_OK;
    }
    if (code == SQLITE_OK && !is_right) code = SQLITE_NOTADB;
    if (code == SQLITE_OK) {
        amalgam_recover_write_header(input, codec, size);
        memcpy(output, codec->kdf_salt, codec->kdf_salt_sz);
        code = sqlcipher_page_cipher(
            codec, CIPHER_WRITE_CTX, 1, SQLCIPHER_ENCRYPT, codec->page_sz - FILE_HEADER_SZ, input + FILE_HEADER_SZ,
            output + FILE_HEADER_SZ);
        if (code == SQLITE_OK) code = sqlite3OsWrite(file, output, codec->page_sz, 0);
    }
    if (input) amalgam_wipe(input, codec->page_sz);
    if (output) amalgam_wipe(output, codec->page_sz);
    sqlite3_free(input);
    sqlite3_free(output);
    return code;
}

int amalgam_recover_unlock(sqlite3 *db, int *is_replaced) {
    int code;
    *is_replaced = 0;
    if (amalgam_cipher_reserve(db, "main") == 0) return SQLITE_OK;
    code = sqlite3_table_column_metadata(db, 0, "sqlite_master", 0, 0, 0, 0, 0, 0);
    if ((code & 0xff) == SQLITE_CORRUPT) return SQLITE_OK;
    if ((code & 0xff) != SQLITE_NOTADB) return code;
    code = amalgam_recover_replace_first_page(db);
    *is_replaced = code == SQLITE_OK;
    return code;
}

#else

int amalgam_recover_unlock(sqlite3 *db, int *is_replaced) { return (void)db, *is_replaced = 0, SQLITE_OK; }

#endif
