/*
** The identity of a state of a database, from what SQLite keeps itself.
**
** In WAL mode, a snapshot is the number of the last frame that a transaction sees, in one generation of the WAL file. The
** WAL index, which all processes share, has the page of each frame. So the pages that differ between two snapshots of a
** generation are known, whoever has written them. A generation begins when SQLite writes to the WAL file from its start
** again, with new salts. If a connection of this process begins it, the pages that were written before it are noted (see
** amalgam_wal_restarts). Otherwise, nothing is known about them.
**
** Otherwise, a connection knows by SQLite's data version that no other connection has committed.
*/

typedef struct amalgam_generation {
    u32 salts[2];
    u32 counter; /* without salts, there is no frame: the change counter of the file */
} amalgam_generation;

typedef struct amalgam_snapshot {
    amalgam_generation generation;
    u32 frame;
} amalgam_snapshot;

_Static_assert(
    sizeof(((amalgam_generation *)0)->salts) == sizeof(((Wal *)0)->hdr.aSalt), "the salts of a WAL file");

static int amalgam_is_same_generation(const amalgam_generation *generation, const amalgam_generation *other) {
    return generation->salts[0] == other->salts[0] && generation->salts[1] == other->salts[1] &&
           generation->counter == other->counter;
}

/* The last frame of all commits. SQLite's macros want this name of the WAL file. */
SQLITE_NO_TSAN static u32 amalgam_committed_frames(Wal *pWal) {
    volatile u32 frames = 0;
    if (pWal->nWiData == 0 || pWal->apWiData[0] == 0) return 0;
    SEH_TRY {
        frames = walIndexHdr(pWal)->mxFrame;
    }
    SEH_EXCEPT( frames = 0; )
    return frames;
}

/*
** Whether the WAL index still has the frames of a generation. A transaction that reads no frames doesn't keep another
** connection from the next generation. SQLite writes the second copy of the header first, before a memory barrier.
*/
SQLITE_NO_TSAN static int amalgam_is_in_index(Wal *pWal, const amalgam_generation *generation) {
    volatile u32 salts[2] = {0};
    if (pWal->nWiData == 0 || pWal->apWiData[0] == 0) return 0;
    walShmBarrier(pWal);
    SEH_TRY {
        salts[0] = walIndexHdr(pWal)[1].aSalt[0];
        salts[1] = walIndexHdr(pWal)[1].aSalt[1];
    }
    SEH_EXCEPT( return 0; )
    return salts[0] == generation->salts[0] && salts[1] == generation->salts[1];
}

/* The snapshot of a transaction, without what the transaction has written itself. */
static int amalgam_snapshot_of(Btree *tree, amalgam_snapshot *snapshot) {
    Pager *pager = sqlite3BtreePager(tree);
    Wal *wal = pager->pWal;
    const int is_writer = sqlite3BtreeTxnState(tree) == SQLITE_TXN_WRITE;
    *snapshot = (amalgam_snapshot){0};
    memcpy(snapshot->generation.salts, wal->hdr.aSalt, sizeof(snapshot->generation.salts));
    if ((wal->hdr.aSalt[0] | wal->hdr.aSalt[1]) != 0) {
        snapshot->frame = is_writer ? amalgam_committed_frames(wal) : wal->hdr.mxFrame;
        return SQLITE_OK;
    }
    DbPage *first = 0;
    const int code = sqlite3PagerGet(pager, 1, &first, 0);
    if (code != SQLITE_OK) return code;
    snapshot->generation.counter = sqlite3Get4byte((const u8 *)sqlite3PagerGetData(first) + 24);
    sqlite3PagerUnrefPageOne(first);
    return SQLITE_OK;
}

/* Frames of the WAL file, in their order. */
typedef struct amalgam_frames {
    Wal *wal;
    u32 next, last;
    u32 end;                  /* the last frame of the part of the index */
    const volatile u32 *page; /* of the next frame */
} amalgam_frames;

/* The pages of the frames after one, up to another one. */
static amalgam_frames amalgam_frames_between(Wal *wal, u32 after, u32 last) {
    return (amalgam_frames){.wal = wal, .next = after + 1, .last = last};
}

/* Reads the page of the next frame. `*page` is zero after the last one. */
SQLITE_NO_TSAN static int amalgam_frames_next(amalgam_frames *frames, Pgno *page) {
    Wal *pWal = frames->wal;
    *page = 0;
    if (frames->next > frames->last) return SQLITE_OK;
    if (frames->next > frames->end) {
        WalHashLoc place;
        const int code = walHashGet(pWal, walFramePage(frames->next), &place);
        if (code != SQLITE_OK) return code;
        frames->page = place.aPgno + (frames->next - place.iZero - 1);
        frames->end = place.iZero + (place.iZero == 0 ? HASHTABLE_NPAGE_ONE : HASHTABLE_NPAGE);
    }
    SEH_TRY {
        *page = *frames->page;
    }
    SEH_EXCEPT( return SQLITE_IOERR; )
    frames->page++;
    frames->next++;
    return SQLITE_OK;
}

/* Whether the states of a database are shared between connections. */
static int amalgam_is_shared(sqlite3 *db, int database) {
    Btree *tree = db->aDb[database].pBt;
    const char *file = sqlite3BtreeGetFilename(tree);
    return file != 0 && file[0] != 0 && tree->sharable == 0 && sqlite3BtreePager(tree)->pWal != 0;
}

/* A file that takes the place of another one has the same path. Zeros if the VFS isn't SQLite's for Unix. */
typedef struct amalgam_file_id {
    u64 device, inode;
} amalgam_file_id;

static amalgam_file_id amalgam_file_id_of(const sqlite3_file *file) {
    amalgam_file_id id = {0};
#if SQLITE_OS_UNIX && !OS_VXWORKS
    if (file->pMethods == &posixIoMethods) {
        const struct unixFileId *known = &((const unixFile *)file)->pInode->fileId;
        id = (amalgam_file_id){.device = (u64)known->dev, .inode = known->ino};
    }
#else
    (void)file;
#endif
    return id;
}

/*
** The records that each write of FTS5 replaces, the sizes of the table and the structure of its index, are the first ones
** of %_data. So the first leaf page and the pages above it are written whenever FTS5 writes the table, if both records are
** on this page. SQLite doesn't write a record again that has the same bytes: the sizes may be the same, the structure isn't.
*/
_Static_assert(
    FTS5_AVERAGES_ROWID == 1 && FTS5_STRUCTURE_ROWID == 10 && FTS5_SEGMENT_ROWID(1, 0) > FTS5_STRUCTURE_ROWID,
    "the records that each write replaces are the first ones of %_data");

typedef struct amalgam_data_path {
    int count; /* 0: the pages aren't known, or the first leaf doesn't have the structure */
    int is_changed; /* this transaction has written one of them */
    Pgno pages[AMALGAM_TREE_DEPTH];
} amalgam_data_path;

/* Whether the transaction of a connection has written a page. */
static int amalgam_page_is_changed(Pager *pager, const MemPage *page) {
    if (page->pDbPage->flags & PGHDR_WRITEABLE) return 1;
    if (pager->pWal == 0) return pager->pInJournal != 0 && sqlite3BitvecTest(pager->pInJournal, page->pgno);
    /* A page may have been written to the WAL file without a commit. */
    u32 frame = 0;
    const u32 minimum = pager->pWal->minFrame;
    pager->pWal->minFrame = 1;
    const int code = sqlite3WalFindFrame(pager->pWal, page->pgno, &frame);
    pager->pWal->minFrame = minimum;
    return code != SQLITE_OK || frame > amalgam_committed_frames(pager->pWal);
}

/* Whether a page has the record with the structure of the index. */
static int amalgam_has_structure(const MemPage *page) {
    for (int i = 0; i < page->nCell; i++) {
        const u8 *at = findCell((MemPage *)page, i), *end = page->aDataEnd;
        u64 size = 0, rowid = 0;
        if (at >= end || !amalgam_varint(&at, end, &size) || !amalgam_varint(&at, end, &rowid)) return 0;
        if (rowid >= FTS5_STRUCTURE_ROWID) return rowid == FTS5_STRUCTURE_ROWID;
    }
    return 0;
}

/* The pages of %_data from the root to the first leaf. */
static int amalgam_data_path_of(Btree *tree, Pgno root, amalgam_data_path *path) {
    const int is_writer = sqlite3BtreeTxnState(tree) == SQLITE_TXN_WRITE;
    Pager *pager = sqlite3BtreePager(tree);
    Pgno number = root;
    *path = (amalgam_data_path){0};
    for (int depth = 0; depth < AMALGAM_TREE_DEPTH; depth++) {
        MemPage *page = 0;
        const int code = amalgam_table_page(tree->pBt, number, &page);
        if (code != SQLITE_OK) return code;
        if (page == 0) break;
        path->pages[depth] = number;
        if (is_writer) path->is_changed |= amalgam_page_is_changed(pager, page);
        const int is_leaf = page->leaf, has_structure = is_leaf && amalgam_has_structure(page);
        if (!is_leaf) number = amalgam_page_child(page, 0);
        releasePage(page);
        if (has_structure) path->count = depth + 1;
        if (is_leaf) break;
    }
    return SQLITE_OK;
}
