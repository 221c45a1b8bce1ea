/* Pages, the WAL hook, and the memory of the process. */

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
        /* The page that carries SQLite's locks holds nothing, and the pager refuses to read it. */
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

int amalgam_deserialize(sqlite3 *db, const char *schema, uint8_t *bytes, int64_t size, unsigned int flags) {
    int code = sqlite3_deserialize(db, schema, bytes, size, size, flags);
    /* Set for the ATTACH inside, which resets it in the end, but not when it fails. */
    db->init.iDb = 0;
    return code;
}

int amalgam_wal_autocheckpoint(sqlite3 *db) {
    if (db->xWalCallback == 0) return 0;
    return db->xWalCallback == sqlite3WalDefaultHook ? SQLITE_PTR_TO_INT(db->pWalArg) : -1;
}

int amalgam_wal_notify(sqlite3 *db) { return db->autoCommit ? doWalCallbacks(db) : SQLITE_OK; }

int amalgam_encoding(sqlite3 *db) { return ENC(db); }

void amalgam_out_of_memory(sqlite3 *db) { sqlite3OomFault(db); }

int amalgam_counts_memory(void) { return sqlite3GlobalConfig.bMemstat != 0; }

int amalgam_config_count_memory(int on) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on); }
