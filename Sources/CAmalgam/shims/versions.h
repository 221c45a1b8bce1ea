/*
** Snapshots of a database in WAL mode. Like a sqlite3_snapshot, a record of a snapshot is a copy of the header of the
** WAL index (WalIndexHdr) at the start of the transaction.
*/

_Static_assert(sizeof(WalIndexHdr) == AMALGAM_VERSION_SIZE, "WalIndexHdr has changed");
_Static_assert(sizeof(sqlite3_snapshot) == AMALGAM_VERSION_SIZE, "sqlite3_snapshot has changed");

/*
** Begins a read transaction that holds a lock which prevents a restart of the WAL file, even if all its frames are
** checkpointed. sqlite3_snapshot_get requires such a transaction.
*/
static int amalgam_begin_version(Btree *tree) {
    static const WalIndexHdr none;
    Pager *pager = sqlite3BtreePager(tree);
    if (pager->pWal == 0 && sqlite3BtreeTxnState(tree) == SQLITE_TXN_NONE) {
        /* The first read opens the WAL file. sqlite3PagerSnapshotOpen fails before that. */
        int code = sqlite3BtreeBeginTrans(tree, 0, 0);
        if (code == SQLITE_OK) code = sqlite3BtreeCommit(tree);
        if (code != SQLITE_OK) return code;
    }
    sqlite3PagerSnapshotOpen(pager, (sqlite3_snapshot *)&none);
    int code = sqlite3BtreeBeginTrans(tree, 0, 0);
    sqlite3PagerSnapshotOpen(pager, 0);
    return code;
}

int amalgam_version_take(sqlite3 *db, void *record) {
    Btree *tree = db->aDb[0].pBt;
    sqlite3_mutex_enter(db->mutex);
    int state = sqlite3BtreeTxnState(tree);
    int code = state == SQLITE_TXN_WRITE ? SQLITE_MISUSE : amalgam_begin_version(tree);
    if (code == SQLITE_OK) {
        Wal *wal = sqlite3BtreePager(tree)->pWal;
        if (wal != 0) {
            memcpy(record, &wal->hdr, sizeof(wal->hdr));
        } else {
            code = SQLITE_NOTFOUND;
        }
        if (db->autoCommit && state == SQLITE_TXN_NONE) sqlite3BtreeCommit(tree);
    }
    sqlite3_mutex_leave(db->mutex);
    return code;
}

void amalgam_version_begin_attached(sqlite3 *db) {
    if (db->autoCommit) return;
    sqlite3_mutex_enter(db->mutex);
    /* A database in use that isn't in WAL mode must not make the transaction wait. */
    int (*handler)(void *, int) = db->busyHandler.xBusyHandler;
    db->busyHandler.xBusyHandler = 0;
    for (int index = 2; index < db->nDb; index++) {
        Btree *tree = db->aDb[index].pBt;
        if (tree == 0 || sqlite3BtreeTxnState(tree) != SQLITE_TXN_NONE) continue;
        if (sqlite3BtreeBeginTrans(tree, 0, 0) == SQLITE_OK && sqlite3BtreePager(tree)->pWal == 0) {
            sqlite3BtreeCommit(tree);
        }
    }
    db->busyHandler.xBusyHandler = handler;
    sqlite3_mutex_leave(db->mutex);
}

int amalgam_version_of_commit(sqlite3 *db, void *record) {
    sqlite3_mutex_enter(db->mutex);
    const Wal *wal = sqlite3BtreePager(db->aDb[0].pBt)->pWal;
    int code = wal != 0 && amalgam_version_is_known(&wal->hdr) ? SQLITE_OK : SQLITE_NOTFOUND;
    if (code == SQLITE_OK) memcpy(record, &wal->hdr, sizeof(wal->hdr));
    sqlite3_mutex_leave(db->mutex);
    return code;
}

/*
** Opens a snapshot whose content is completely in the database file, and can't be overwritten. If the WAL file was
** restarted, SQLite considers the snapshot lost. But a snapshot that needs no frame of the WAL file isn't lost. So this
** function passes sqlite3_snapshot_open a header with no frames and the salts of the current WAL file. SQLite still
** checks that no frame with these salts was copied to the database file, and acquires the lock of a reader that sees no
** frames. While a connection reads this snapshot, no checkpoint copies a frame.
*/
static int amalgam_open_in_file(sqlite3 *db, const WalIndexHdr *version, const WalIndexHdr *current) {
    WalIndexHdr header = *version;
    memcpy(header.aSalt, current->aSalt, sizeof(header.aSalt));
    header.mxFrame = 0;
    int code = sqlite3_snapshot_open(db, "main", (sqlite3_snapshot *)&header);
    if (code != SQLITE_OK) return code;
    /* Restores the salts of the snapshot, so that amalgam_version_take records the same snapshot again. */
    Wal *wal = sqlite3BtreePager(db->aDb[0].pBt)->pWal;
    memcpy(wal->hdr.aSalt, version->aSalt, sizeof(header.aSalt));
    return SQLITE_OK;
}

int amalgam_version_is_in_file(sqlite3 *db) {
    const Wal *wal = sqlite3BtreePager(db->aDb[0].pBt)->pWal;
    return wal != 0 && wal->readLock >= 0 && (wal->readLock == 0 || wal->hdr.mxFrame == 0);
}

int amalgam_version_open(sqlite3 *db, const void *record, int mode) {
    Btree *tree = db->aDb[0].pBt;
    WalIndexHdr current;
    if (sqlite3BtreeTxnState(tree) != SQLITE_TXN_NONE) return SQLITE_MISUSE;
    int code = SQLITE_OK;
    if (mode == AMALGAM_VERSION_READ) {
        sqlite3_mutex_enter(db->mutex);
        code = sqlite3BtreeBeginTrans(tree, 0, 0);
        sqlite3_mutex_leave(db->mutex);
    }
    if (code == SQLITE_OK) code = amalgam_version_take(db, &current);
    if (code != SQLITE_OK) return code;
    /*
    ** Usually, nothing was written after the snapshot was recorded. In this case, the open transaction already sees the
    ** content of the snapshot, even if a checkpoint has emptied the WAL file. Unlike sqlite3_snapshot_open, beginning
    ** this transaction doesn't acquire the lock that prevents checkpoints from starting.
    */
    if (amalgam_version_order(&current, record) == 0) return SQLITE_OK;
    if (!amalgam_version_is_known(record)) return SQLITE_ERROR_SNAPSHOT;
    /* Inside a read transaction, sqlite3_snapshot_open doesn't wait for a checkpoint. */
    sqlite3_mutex_enter(db->mutex);
    code = sqlite3BtreeCommit(tree);
    sqlite3_mutex_leave(db->mutex);
    if (code != SQLITE_OK) return code;
    return mode == AMALGAM_VERSION_IN_FILE ? amalgam_open_in_file(db, record, &current)
                                           : sqlite3_snapshot_open(db, "main", (sqlite3_snapshot *)record);
}

int amalgam_version_advance(sqlite3 *db, const void *record) {
    enum { ATTEMPTS = 1000 };
    WalIndexHdr current;
    if (sqlite3BtreeTxnState(db->aDb[0].pBt) != SQLITE_TXN_READ) return SQLITE_MISUSE;
    int code = amalgam_version_take(db, &current);
    if (code != SQLITE_OK) return code;
    if (amalgam_version_order(&current, record) == 0) return SQLITE_OK;
    if (!amalgam_version_is_known(record)) return SQLITE_ERROR_SNAPSHOT;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        code = sqlite3_snapshot_open(db, "main", (sqlite3_snapshot *)record);
        if (code != SQLITE_BUSY) break;
        sqlite3_sleep(1);
    }
    return code;
}

static int amalgam_sign(int64_t number) { return (number > 0) - (number < 0); }

/*
** The fields of a header:
** - The two salts identify a generation of the WAL file: its content between two restarts. The salts are random, but a
**   restart of the file increments the first salt.
** - The number of frames grows with each commit in a generation.
** - The checksum of the last frame covers all frames before it. A restart of the WAL file doesn't change this checksum,
**   which therefore identifies the last commit even if the WAL file is empty.
*/
int amalgam_version_order(const void *record, const void *other) {
    const WalIndexHdr *left = record, *right = other;
    if (!amalgam_version_is_known(left) || !amalgam_version_is_known(right)) return AMALGAM_VERSION_UNKNOWN;
    int same_life = memcmp(left->aSalt, right->aSalt, sizeof(left->aSalt)) == 0;
    int same_commit = memcmp(left->aFrameCksum, right->aFrameCksum, sizeof(left->aFrameCksum)) == 0;
    int64_t frames = (int64_t)left->mxFrame - (int64_t)right->mxFrame;
    if (same_life && frames == 0) return same_commit ? 0 : AMALGAM_VERSION_UNKNOWN;
    if (same_commit && (left->mxFrame == 0 || right->mxFrame == 0)) return 0;
    if (same_life) return amalgam_sign(frames);
    int32_t lives = (int32_t)(sqlite3Get4byte((const u8 *)left->aSalt) - sqlite3Get4byte((const u8 *)right->aSalt));
    /*
    ** If the first salts differ by 65,536 or more, they are random. Either the WAL file was deleted, or a checkpoint of
    ** one connection emptied the WAL file, and a different connection was the first to write to the file afterwards.
    */
    int is_counted = lives != 0 && lives > -65536 && lives < 65536;
    return is_counted ? amalgam_sign(lives) : AMALGAM_VERSION_UNKNOWN;
}

uint32_t amalgam_version_frame_count(const void *record) { return ((const WalIndexHdr *)record)->mxFrame; }

uint32_t amalgam_version_commit_count(const void *record) { return ((const WalIndexHdr *)record)->iChange; }

int amalgam_version_is_known(const void *record) {
    const WalIndexHdr *header = record;
    return (header->aFrameCksum[0] | header->aFrameCksum[1]) != 0;
}

uint64_t amalgam_version_file(sqlite3 *db) {
    /* A stronger hash isn't needed: different files also have different salts, unless a file is a copy of another file. */
    const char *name = sqlite3_db_filename(db, "main");
    return amalgam_hash(amalgam_hash_start, name, sqlite3Strlen30(name));
}
