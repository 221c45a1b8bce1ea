/* Pages, the WAL hook, the locks of readers, and the memory of the process. */

static Btree *amalgam_tree(sqlite3 *db, const char *schema) {
    int index = sqlite3FindDbName(db, schema);
    return index < 0 ? 0 : db->aDb[index].pBt;
}

int amalgam_page_size(sqlite3 *db, const char *schema) {
    Btree *tree = amalgam_tree(db, schema);
    return tree == 0 ? 0 : sqlite3BtreeGetPageSize(tree);
}

static int amalgam_copy_page(Btree *tree, Pgno number, uint8_t *bytes, size_t size) {
    if (number == PENDING_BYTE_PAGE(tree->pBt)) {
        /* The page that contains SQLite's lock bytes is empty, and the pager refuses to read it. */
        memset(bytes, 0, size);
        return SQLITE_OK;
    }
    DbPage *page = 0;
    int code = sqlite3PagerGet(sqlite3BtreePager(tree), number, &page, 0);
    if (code == SQLITE_OK) memcpy(bytes, sqlite3PagerGetData(page), size);
    sqlite3PagerUnref(page);
    return code;
}

int amalgam_copy_pages(sqlite3 *db, const char *schema, uint8_t *bytes, int count) {
    Btree *tree = amalgam_tree(db, schema);
    if (tree == 0) return SQLITE_ERROR;
    sqlite3BtreeEnter(tree);
    size_t size = (size_t)sqlite3BtreeGetPageSize(tree);
    int code = SQLITE_OK;
    for (int index = 0; index < count && code == SQLITE_OK; index++) {
        code = amalgam_copy_page(tree, (Pgno)index + 1, bytes + size * (size_t)index, size);
    }
    sqlite3BtreeLeave(tree);
    return code;
}

/*
** Erases what has a pointer to SQLite's object of a schema, which sqlite3_deserialize frees: the content of the temp
** schema, whose triggers may be on tables of the schema, and the tables that are named like their module, such as
** json_each, which point to the main schema. SQLite makes all of them again when a statement needs them.
*/
static void amalgam_erase_pointers_to_schema(sqlite3 *db, const char *schema) {
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    int index = sqlite3FindDbName(db, schema);
    /* Resets the temp schema, too. */
    if (index >= 0) sqlite3ResetOneSchema(db, index);
    if (index == 0) {
        for (HashElem *entry = sqliteHashFirst(&db->aModule); entry; entry = sqliteHashNext(entry)) {
            sqlite3VtabEponymousTableClear(db, (Module *)sqliteHashData(entry));
        }
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
}

/* Opens an empty database in memory whose pages fit another database. */
static int amalgam_open_empty(Btree *tree, sqlite3 **empty) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code = sqlite3_open_v2(":memory:", empty, flags, 0);
    if (code != SQLITE_OK) return code;
    return sqlite3BtreeSetPageSize(
        (*empty)->aDb[0].pBt, sqlite3BtreeGetPageSize(tree), sqlite3BtreeGetRequestedReserve(tree), 0);
}

int amalgam_erase(sqlite3 *db) {
    sqlite3 *empty = 0;
    int code = amalgam_open_empty(db->aDb[0].pBt, &empty);
    if (code == SQLITE_OK) {
        /* A backup increases the schema version of its destination, from the one that the destination had. */
        sqlite3_backup *backup = sqlite3_backup_init(db, "main", empty, "main");
        if (backup != 0) sqlite3_backup_step(backup, -1);
        code = backup == 0 ? sqlite3_extended_errcode(db) : sqlite3_backup_finish(backup);
    }
    sqlite3_close_v2(empty);
    return code;
}

int amalgam_deserialize(sqlite3 *db, const char *schema, uint8_t *bytes, int64_t size, unsigned int flags) {
    amalgam_erase_pointers_to_schema(db, schema);
    int code = sqlite3_deserialize(db, schema, bytes, size, size, flags);
    /* sqlite3_deserialize sets this member for an internal ATTACH, which doesn't reset it after an error. */
    db->init.iDb = 0;
    /* When it compiles the ATTACH, it reads the temp schema again, whose triggers then point to the freed object. */
    amalgam_erase_pointers_to_schema(db, schema);
    return code;
}

int amalgam_wal_autocheckpoint(sqlite3 *db) {
    if (db->xWalCallback == 0) return 0;
    return db->xWalCallback == sqlite3WalDefaultHook ? SQLITE_PTR_TO_INT(db->pWalArg) : -1;
}

int amalgam_wal_notify(sqlite3 *db) { return db->autoCommit ? doWalCallbacks(db) : SQLITE_OK; }

int amalgam_checkpoint_now(sqlite3 *db, const char *schema, int mode, int *frames, int *checkpointed) {
    int (*handler)(void *, int) = db->busyHandler.xBusyHandler;
    db->busyHandler.xBusyHandler = 0;
    int code = sqlite3_wal_checkpoint_v2(db, schema, mode, frames, checkpointed);
    db->busyHandler.xBusyHandler = handler;
    return code;
}

/* The caller must have entered the tree, because connections with a shared cache share the pager. */
static Wal *amalgam_wal(Btree *tree) { return sqlite3BtreePager(tree)->pWal; }

/*
** Reads numbers that other connections may be writing. SQLite also reads them without a lock ("walIndexTryHdr"). On
** Windows, reading shared memory may raise an exception. SEH_EXCEPT catches it, and requires the variable name `pWal`.
*/
static SQLITE_NO_TSAN int amalgam_read_wal(Wal *pWal, amalgam_wal_state *state) {
    if (pWal == 0 || pWal->nWiData == 0 || pWal->apWiData[0] == 0) return 0;
    SEH_TRY {
        state->frames = walIndexHdr(pWal)->mxFrame;
        state->checkpointed = AtomicLoad(&walCkptInfo(pWal)->nBackfill);
        const u32 salts[2] = {walIndexHdr(pWal)->aSalt[0], walIndexHdr(pWal)->aSalt[1]};
        memcpy(state->salts, salts, sizeof(state->salts));
    }
    SEH_EXCEPT( return 0; )
    return 1;
}

int amalgam_wal_get_state(sqlite3 *db, const char *schema, amalgam_wal_state *state) {
    Btree *tree = amalgam_tree(db, schema);
    if (tree == 0) return 0;
    sqlite3BtreeEnter(tree);
    state->page_size = (uint32_t)sqlite3BtreeGetPageSize(tree);
    int is_open = amalgam_read_wal(amalgam_wal(tree), state);
    sqlite3BtreeLeave(tree);
    return is_open;
}

int64_t amalgam_wal_file_size(sqlite3 *db, const char *schema) {
    Btree *tree = amalgam_tree(db, schema);
    if (tree == 0) return -1;
    i64 size = -1;
    sqlite3BtreeEnter(tree);
    Wal *wal = amalgam_wal(tree);
    if (wal != 0 && sqlite3OsFileSize(wal->pWalFd, &size) != SQLITE_OK) size = -1;
    sqlite3BtreeLeave(tree);
    return size;
}

#if SQLITE_OS_UNIX
int amalgam_file_identify(sqlite3 *db, const char *schema, amalgam_file_identity *identity) {
    Btree *tree = amalgam_tree(db, schema);
    struct stat status;
    if (tree == 0) return 0;
    const sqlite3_file *file = sqlite3PagerFile(sqlite3BtreePager(tree));
    /* Another VFS has its own functions. A temporary database has no file until its pages don't fit the memory. */
    if (file->pMethods == 0 || file->pMethods->xFileControl != unixFileControl) return 0;
    if (osFstat(((const unixFile *)file)->h, &status) != 0) return 0;
    *identity = (amalgam_file_identity){.device = (uint64_t)status.st_dev, .number = (uint64_t)status.st_ino};
    return 1;
}
#else
int amalgam_file_identify(sqlite3 *db, const char *schema, amalgam_file_identity *identity) {
    return 0;
}
#endif

#if SQLITE_OS_UNIX
/* The index of the WAL file, shared by the connections of this process. */
static unixShmNode *amalgam_wal_index(Btree *tree) {
    unixFile *file = (unixFile *)sqlite3PagerFile(sqlite3BtreePager(tree));
    if (file->pMethod == 0 || file->pMethod->xShmLock != unixShmLock || file->pShm == 0) return 0;
    return file->pShm->pShmNode;
}

/*
** Returns the other process that holds a lock; 0 for none. The function uses SQLite's file descriptor, because closing
** a second descriptor of the same file would release all locks of this process.
*/
static pid_t amalgam_holder(int descriptor, int lock) {
    struct flock query = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = UNIX_SHM_BASE + lock, .l_len = 1};
    if (descriptor < 0 || osFcntl(descriptor, F_GETLK, &query) != 0) return 0;
    return query.l_type == F_UNLCK ? 0 : query.l_pid;
}

/*
** Reads the mark of a read lock: the last frame that its readers see; 0 for lock 0, whose readers see no frames.
** Returns 1 if the lock prevents a checkpoint from copying all frames or, if all are copied, a restart of the WAL file.
*/
static SQLITE_NO_TSAN int amalgam_is_in_the_way(Wal *pWal, int slot, uint32_t *mark) {
    int is_in_the_way = 1;
    if (pWal == 0 || pWal->nWiData == 0 || pWal->apWiData[0] == 0) return is_in_the_way;
    SEH_TRY {
        volatile WalCkptInfo *info = walCkptInfo(pWal);
        u32 frames = walIndexHdr(pWal)->mxFrame;
        *mark = slot == 0 ? 0 : AtomicLoad(&info->aReadMark[slot]);
        int has_frames = AtomicLoad(&info->nBackfill) < frames;
        is_in_the_way = has_frames ? slot == 0 || *mark < frames : slot != 0;
    }
    SEH_EXCEPT( is_in_the_way = 1; )
    return is_in_the_way;
}

static int amalgam_holders(Wal *wal, unixShmNode *node, amalgam_wal_holder *holders, int capacity) {
    int count = 0;
    sqlite3_mutex_enter(node->pShmMutex);
    for (int slot = 0; slot < WAL_NREADER; slot++) {
        int lock = WAL_READ_LOCK(slot);
        amalgam_wal_holder holder = {0};
        holder.is_in_the_way = amalgam_is_in_the_way(wal, slot, &holder.mark);
        for (unixShm *reader = node->pFirst; reader != 0; reader = reader->pNext) {
            if ((reader->sharedMask & (1 << lock)) == 0 || count == capacity) continue;
            holder.connection = (uintptr_t)reader;
            holders[count++] = holder;
        }
        holder.connection = 0;
        holder.process = (int32_t)amalgam_holder(node->hShm, lock);
        if (holder.process != 0 && count < capacity) holders[count++] = holder;
    }
    sqlite3_mutex_leave(node->pShmMutex);
    return count;
}

int amalgam_wal_holders(sqlite3 *db, const char *schema, amalgam_wal_holder *holders, int capacity) {
    Btree *tree = amalgam_tree(db, schema);
    if (tree == 0) return -1;
    sqlite3BtreeEnter(tree);
    unixShmNode *node = amalgam_wal_index(tree);
    int count = node == 0 ? -1 : amalgam_holders(amalgam_wal(tree), node, holders, capacity);
    sqlite3BtreeLeave(tree);
    return count;
}

uintptr_t amalgam_wal_connection(sqlite3 *db, const char *schema) {
    Btree *tree = amalgam_tree(db, schema);
    if (tree == 0) return 0;
    sqlite3BtreeEnter(tree);
    uintptr_t connection = 0;
    if (amalgam_wal_index(tree) != 0) connection = (uintptr_t)((unixFile *)sqlite3PagerFile(sqlite3BtreePager(tree)))->pShm;
    sqlite3BtreeLeave(tree);
    return connection;
}
#else
int amalgam_wal_holders(sqlite3 *db, const char *schema, amalgam_wal_holder *holders, int capacity) {
    return -1;
}

uintptr_t amalgam_wal_connection(sqlite3 *db, const char *schema) {
    return 0;
}
#endif

int amalgam_is_backup_source(sqlite3 *db) {
    for (int index = 0; index < db->nDb; index++) {
        Btree *tree = db->aDb[index].pBt;
        if (tree != 0 && sqlite3BtreeIsInBackup(tree)) return 1;
    }
    return 0;
}

/* Writes the root pages of the tables and indexes to `roots`, if it isn't NULL. Returns their number. */
static int amalgam_root_pages(const Schema *schema, Pgno *roots) {
    int count = 0;
    for (HashElem *entry = sqliteHashFirst(&schema->tblHash); entry; entry = sqliteHashNext(entry)) {
        const Table *table = sqliteHashData(entry);
        if (table->tabFlags & TF_Imposter) continue;
        /* Views and virtual tables have no page. A table WITHOUT ROWID has the page of its index. */
        if (table->tnum == 0) continue;
        if (HasRowid(table) && roots != 0) roots[count] = table->tnum;
        if (HasRowid(table)) count++;
        for (const Index *index = table->pIndex; index != 0; index = index->pNext) {
            if (roots != 0) roots[count] = index->tnum;
            count++;
        }
    }
    return count;
}

/* SQLite reports a page that it can't read as a problem of the file. Returns the error, unless it is one of the file. */
static int amalgam_error_of_pages(const char *problems) {
    static const char text[] = "unable to get the page. error code=";
    const char *found = problems == 0 ? 0 : strstr(problems, text);
    int code = found == 0 ? SQLITE_OK : atoi(found + sizeof(text) - 1);
    return (code & 0xff) == SQLITE_CORRUPT ? SQLITE_OK : code;
}

static int amalgam_check_tree(sqlite3 *db, int index, int limit, char **problems) {
    Btree *tree = db->aDb[index].pBt;
    const Schema *schema = db->aDb[index].pSchema;
    if (tree == 0 || schema == 0 || sqlite3BtreeTxnState(tree) == SQLITE_TXN_NONE) return SQLITE_MISUSE;
    const int count = amalgam_root_pages(schema, 0);
    /* Without the root of sqlite_schema, the schema isn't loaded. */
    if (count == 0) return SQLITE_MISUSE;
    Pgno *roots = sqlite3_malloc64((u64)count * sizeof(Pgno));
    Mem *rows = sqlite3MallocZero((u64)count * sizeof(Mem));
    int code = SQLITE_NOMEM;
    if (roots != 0 && rows != 0) {
        int problem_count = 0;
        amalgam_root_pages(schema, roots);
        code = sqlite3BtreeIntegrityCheck(db, tree, roots, rows, count, limit, &problem_count, problems);
        if (code == SQLITE_OK && problem_count > 0 && *problems == 0) code = SQLITE_NOMEM;
        if (code == SQLITE_OK) code = amalgam_error_of_pages(*problems);
    }
    sqlite3_free(roots);
    sqlite3_free(rows);
    return code;
}

int amalgam_check_pages(sqlite3 *db, const char *schema, int limit, char **problems) {
    *problems = 0;
    amalgam_enter_schemas(db);
    int index = sqlite3FindDbName(db, schema);
    int code = index < 0 ? SQLITE_ERROR : amalgam_check_tree(db, index, limit, problems);
    amalgam_leave_schemas(db);
    if (code != SQLITE_OK) {
        sqlite3_free(*problems);
        *problems = 0;
    }
    return code;
}

int amalgam_is_in_wal_mode(sqlite3 *db) {
    for (int index = 0; index < db->nDb; index++) {
        Btree *tree = db->aDb[index].pBt;
        if (tree == 0 || index == 1) continue;
        Pager *pager = sqlite3BtreePager(tree);
        if (sqlite3PagerGetJournalMode(pager) == PAGER_JOURNALMODE_WAL) continue;
        /* A database in memory has no journal. If it is attached, it has no other connections. */
        if (index == 0 || !sqlite3PagerIsMemdb(pager)) return 0;
    }
    return 1;
}

int amalgam_encoding(sqlite3 *db) { return ENC(db); }

void amalgam_forget_encoding(sqlite3 *db) {
    sqlite3_mutex_enter(db->mutex);
    if (db->autoCommit && db->nVdbeActive == 0) {
        sqlite3ExpirePreparedStatements(db, 0);
        sqlite3ResetAllSchemasOfConnection(db);
        db->mDbFlags &= ~(u32)DBFLAG_EncodingFixed;
    }
    sqlite3_mutex_leave(db->mutex);
}

void amalgam_out_of_memory(sqlite3 *db) { sqlite3OomFault(db); }

int amalgam_counts_memory(void) { return sqlite3GlobalConfig.bMemstat != 0; }

int amalgam_config_count_memory(int on) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on); }
