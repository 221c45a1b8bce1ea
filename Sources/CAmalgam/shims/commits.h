/*
** Commits of other connections, seen without standing in their way.
**
** Who writes to a WAL file writes its frames first, then the header of the WAL index, which makes them a commit, and
** holds WAL_WRITE_LOCK from before until after. With a rollback journal, RESERVED is held from before the first change
** of a file until after the commit. So "nobody held the lock, and then nothing was new" means that all that was written
** before is committed and seen, or will never be. The order of both questions matters.
*/

#if SQLITE_OS_UNIX
/* As unixFcntlExternalReader, which asks for the locks of readers. F_GETLK takes nothing. */
static int amalgam_posix_wal_writer(unixFile *file, int *exists) {
    if (file->pShm == 0) return SQLITE_OK;
    unixShmNode *node = file->pShm->pShmNode;
    int code = SQLITE_OK;
    sqlite3_mutex_enter(node->pShmMutex);
    /* A process does not see its own locks. */
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
    /* Nobody can say before the first read. */
    *exists = wal->nWiData == 0;
    if (*exists) return SQLITE_OK;
#if SQLITE_OS_UNIX
    if (wal->pDbFd->pMethods == &posixIoMethods) return amalgam_posix_wal_writer((unixFile *)wal->pDbFd, exists);
#endif
    /* The file layer of somebody else has only this: a shared lock, which keeps writers out while it is held. */
    int code = sqlite3OsShmLock(wal->pDbFd, WAL_WRITE_LOCK, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED);
    if (code == SQLITE_OK) sqlite3OsShmLock(wal->pDbFd, WAL_WRITE_LOCK, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
    *exists = code == SQLITE_BUSY;
    return code == SQLITE_BUSY ? SQLITE_OK : code;
}

static int amalgam_writer(Pager *pager, int *exists) {
    *exists = 0;
    if (pager->pWal) return amalgam_wal_writer(pager->pWal, exists);
    /* With PRAGMA locking_mode = EXCLUSIVE, the lock that would be found is our own. */
    if (pager->exclusiveMode && pager->eLock >= SHARED_LOCK) return SQLITE_OK;
    return sqlite3OsCheckReservedLock(pager->fd, exists);
}

/*
** Compares by hand what others may be writing: ThreadSanitizer cannot know that a wrong answer does no harm. The writer
** holds its lock then, and there will be another look.
**
** The header is there twice, and walIndexWriteHdr writes the second copy first. A process that is killed in between has
** released its lock, and leaves two copies that differ: the next read recovers the header, and may find a commit.
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
    /* The change counter, and what follows it: https://sqlite.org/fileformat2.html#file_change_counter. */
    char version[sizeof pager->dbFileVers] = {0};
    int code = sqlite3OsRead(pager->fd, version, sizeof version, 24);
    return (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
           || memcmp(version, pager->dbFileVers, sizeof version) != 0;
}

/* A read transaction without a statement: it notices what others have committed. */
static int amalgam_refresh(sqlite3 *db, Btree *tree) {
    BusyHandler handler = db->busyHandler;
    db->busyHandler.xBusyHandler = 0;
    int code = sqlite3BtreeBeginTrans(tree, 0, 0);
    if (code == SQLITE_OK) code = sqlite3BtreeCommit(tree);
    db->busyHandler = handler;
    return code;
}

/* Without a file of the system there are no others, and no lock to ask for: a database in memory, or a temporary one that
** has not been written to a file yet. */
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
