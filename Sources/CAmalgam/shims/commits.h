/*
** Detects commits of other connections without blocking them.
**
** In WAL mode, a writer writes its frames first, and then the header of the WAL index, which makes the frames a commit.
** During both writes, the writer holds WAL_WRITE_LOCK. With a rollback journal, a writer holds RESERVED from before the
** first change of a file until after the commit. This code checks first whether the lock of the writer is free, and
** then whether there is a new commit. If the lock is free and there is no new commit, this connection has already seen
** all earlier writes that will ever be committed. In the opposite order, a writer could commit and release its lock
** between the two checks.
*/

#if SQLITE_OS_UNIX
/* Checks the write lock like unixFcntlExternalReader checks the locks of readers. F_GETLK acquires no lock. */
static int amalgam_posix_wal_writer(unixFile *file, int *exists) {
    if (file->pShm == 0) return SQLITE_OK;
    unixShmNode *node = file->pShm->pShmNode;
    int code = SQLITE_OK;
    sqlite3_mutex_enter(node->pShmMutex);
    /* F_GETLK doesn't report the locks of the own process. */
    *exists = AtomicLoad(&node->aLock[WAL_WRITE_LOCK]) != 0;
    if (!*exists && node->hShm >= 0) {
        struct flock lock;
        memset(&lock, 0, sizeof lock);
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = UNIX_SHM_BASE + WAL_WRITE_LOCK;
        lock.l_len = 1;
        if (osFcntl(node->hShm, F_GETLK, &lock) < 0) code = SQLITE_IOERR_LOCK;
        else *exists = lock.l_type != F_UNLCK;
    }
    sqlite3_mutex_leave(node->pShmMutex);
    return code;
}
#endif

static int amalgam_wal_writer(Wal *wal, int *exists) {
    if (wal->exclusiveMode != WAL_NORMAL_MODE) return SQLITE_OK;
    /* Before the first read of this connection, the lock can't be checked. */
    *exists = wal->nWiData == 0;
    if (*exists) return SQLITE_OK;
#if SQLITE_OS_UNIX
    if (wal->pDbFd->pMethods == &posixIoMethods) return amalgam_posix_wal_writer((unixFile *)wal->pDbFd, exists);
#endif
    /* With a custom VFS, the only way is to acquire a shared lock, which excludes writers while it is held. */
    int code = sqlite3OsShmLock(wal->pDbFd, WAL_WRITE_LOCK, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED);
    if (code == SQLITE_OK) sqlite3OsShmLock(wal->pDbFd, WAL_WRITE_LOCK, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
    *exists = code == SQLITE_BUSY;
    return code == SQLITE_BUSY ? SQLITE_OK : code;
}

static int amalgam_writer(Pager *pager, int *exists) {
    *exists = 0;
    if (pager->pWal) return amalgam_wal_writer(pager->pWal, exists);
    /* With PRAGMA locking_mode = EXCLUSIVE, this connection itself holds the lock. */
    if (pager->exclusiveMode && pager->eLock >= SHARED_LOCK) return SQLITE_OK;
    return sqlite3OsCheckReservedLock(pager->fd, exists);
}

/*
** Whether the header of the WAL index differs from the one that this connection has read. Another connection may be
** writing the header. A wrong result does no harm: the writer holds the write lock, so the caller checks again later.
**
** The header is stored twice, and walIndexWriteHdr writes the second copy first. If a process is killed between both
** writes, its lock is released, and the copies differ: the next read recovers the header, and may find a commit.
*/
SQLITE_NO_TSAN static int amalgam_wal_differs(Wal *pWal) {
    if (pWal->nWiData == 0 || pWal->apWiData[0] == 0 || pWal->bShmUnreliable) return 1;
    int differs = 0;
    SEH_TRY {
        volatile const u32 *shared = (volatile const u32 *)walIndexHdr(pWal);
        const u32 *known = (const u32 *)&pWal->hdr;
        const size_t count = sizeof(WalIndexHdr) / sizeof(u32);
        for (size_t index = 0; index < count; index++) {
            if (shared[index] != known[index] || shared[count + index] != known[index]) differs = 1;
        }
    }
    SEH_EXCEPT( differs = 1; )
    return differs;
}

static int amalgam_pager_differs(Pager *pager) {
    if (pager->pWal) return amalgam_wal_differs(pager->pWal);
    /* The change counter and the fields after it: https://sqlite.org/fileformat2.html#file_change_counter. */
    char version[sizeof pager->dbFileVers] = {0};
    int code = sqlite3OsRead(pager->fd, version, sizeof version, 24);
    return (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
           || memcmp(version, pager->dbFileVers, sizeof version) != 0;
}

/* Begins and ends a read transaction without a statement. This detects commits of other connections. */
static int amalgam_refresh(sqlite3 *db, Btree *tree) {
    BusyHandler handler = db->busyHandler;
    db->busyHandler.xBusyHandler = 0;
    int code = sqlite3BtreeBeginTrans(tree, 0, 0);
    if (code == SQLITE_OK) code = sqlite3BtreeCommit(tree);
    db->busyHandler = handler;
    return code;
}

/*
** Whether the database has a file. Databases in memory have none, and temporary ones have none until SQLite writes them
** to a file. A database without a file has no other connections, and no lock to check.
*/
static int amalgam_has_file(Pager *pager) {
    return !sqlite3PagerIsMemdb(pager) && pager->fd->pMethods != 0 && pager->fd->pMethods->xCheckReservedLock != 0;
}

static int amalgam_look(sqlite3 *db, Btree *tree, int *is_settled) {
    *is_settled = !amalgam_has_file(sqlite3BtreePager(tree));
    if (*is_settled) return SQLITE_OK;
    if (db->nVdbeActive > 0 || !db->autoCommit || sqlite3BtreeTxnState(tree) != SQLITE_TXN_NONE) return SQLITE_OK;
    Pager *pager = sqlite3BtreePager(tree);
    int writer = 0;
    int code = amalgam_writer(pager, &writer);
    if (code == SQLITE_OK && amalgam_pager_differs(pager)) code = amalgam_refresh(db, tree);
    *is_settled = code == SQLITE_OK && !writer;
    return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED ? SQLITE_OK : code;
}

int amalgam_look_for_commits(sqlite3 *db, int may_look, uint32_t *version, int *is_settled) {
    sqlite3_mutex_enter(db->mutex);
    Btree *tree = db->aDb[0].pBt;
    sqlite3BtreeEnter(tree);
    *is_settled = 0;
    int code = may_look ? amalgam_look(db, tree, is_settled) : SQLITE_OK;
    *version = sqlite3PagerDataVersion(sqlite3BtreePager(tree)) + tree->iBDataVersion;
    sqlite3BtreeLeave(tree);
    code = sqlite3ApiExit(db, code);
    sqlite3_mutex_leave(db->mutex);
    return code;
}
