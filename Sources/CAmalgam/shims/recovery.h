/* Operations that must not fail when memory is exhausted or a file fails, and the effects of a failed statement. */

/*
** Does what OP_AutoCommit does in vdbe.c for ROLLBACK. SQLite counts a running ROLLBACK in nVdbeRead, the number of
** reading statements. Other running statements retain their read transaction only if this number is larger than 1.
** There is no ROLLBACK statement here, so this function increments the number in its place.
*/
void amalgam_rollback(sqlite3 *db) {
    sqlite3_mutex_enter(db->mutex);
    db->nVdbeRead++;
    sqlite3RollbackAll(db, SQLITE_ABORT_ROLLBACK);
    db->nVdbeRead--;
    db->autoCommit = 1;
    sqlite3CloseSavepoints(db);
    sqlite3_mutex_leave(db->mutex);
}

int amalgam_undoes_failed_step(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    return vdbe->usesStmtJournal && vdbe->errorAction != OE_Fail;
}

int amalgam_fails_on_conflict(sqlite3_stmt *statement) { return ((const Vdbe *)statement)->errorAction == OE_Fail; }

int amalgam_failure_code(sqlite3_stmt *statement, int code) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    return vdbe->rc == SQLITE_CONSTRAINT_FOREIGNKEY && amalgam_is_stopped(vdbe) ? SQLITE_ABORT_ROLLBACK : code;
}

void amalgam_undo_failed_step(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    sqlite3 *db = vdbe->db;
    if (!amalgam_was_noted(vdbe) || vdbe->errorAction == OE_Fail) return;
    if (sqlite3_txn_state(db, 0) != SQLITE_TXN_WRITE) return;
    /* The changes of the statements that it has called and left open are undone, too. */
    for (Vdbe *nested = db->pVdbe; nested != 0; nested = nested->pVNext) {
        if (nested->eVdbeState == VDBE_RUN_STATE && nested->changeCntOn) amalgam_stop(nested);
    }
    amalgam_rollback(db);
}

void amalgam_use_journal(sqlite3_stmt *statement) {
    Vdbe *vdbe = (Vdbe *)statement;
    if (vdbe->eVdbeState != VDBE_RUN_STATE) vdbe->usesStmtJournal = 1;
}

int amalgam_writing_statements(sqlite3 *db) { return db->nVdbeWrite; }

int amalgam_active_count(sqlite3 *db) { return db->nVdbeActive; }

sqlite3_stmt *amalgam_active_statement(const amalgam_hooks *hooks) {
    sqlite3 *db = hooks->db;
    Vdbe *vdbe = 0;
    sqlite3_mutex_enter(db->mutex);
    for (vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState != VDBE_RUN_STATE || vdbe->zSql == 0) continue;
        if (!amalgam_is_session_statement(hooks, (sqlite3_stmt *)vdbe)) break;
    }
    sqlite3_mutex_leave(db->mutex);
    return (sqlite3_stmt *)vdbe;
}

uint32_t amalgam_commit_number(sqlite3 *db) {
    uint32_t number = 0;
    for (int i = 0; i < db->nDb; i++) {
        Btree *tree = db->aDb[i].pBt;
        if (tree != 0) number += sqlite3PagerDataVersion(sqlite3BtreePager(tree));
    }
    return number;
}

/* A commit fails with an error of the file or of memory. A statement that violates a constraint hasn't begun to commit. */
int amalgam_commit_fails(sqlite3 *db) {
    if (!db->autoCommit) return 0;
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState != VDBE_RUN_STATE) continue;
        const int code = vdbe->rc & 0xff;
        if (code != SQLITE_OK && code != SQLITE_CONSTRAINT && code != SQLITE_ABORT) return 1;
    }
    return 0;
}

void amalgam_set_autocommit(sqlite3 *db, int on) { db->autoCommit = on ? 1 : 0; }

/* The number of databases in which the transaction has written. */
static int amalgam_count_writers(sqlite3 *db) {
    int count = 0;
    for (int i = 0; i < db->nDb; i++) {
        if (db->aDb[i].pBt && sqlite3BtreeTxnState(db->aDb[i].pBt) == SQLITE_TXN_WRITE) count++;
    }
    return count;
}

/* Does what OP_Transaction does for a statement with a statement journal. */
static int amalgam_open_undo_level(sqlite3 *db, int level) {
    int code = sqlite3VtabSavepoint(db, SAVEPOINT_BEGIN, level - 1);
    for (int i = 0; i < db->nDb && code == SQLITE_OK; i++) {
        Btree *tree = db->aDb[i].pBt;
        if (tree && sqlite3BtreeTxnState(tree) == SQLITE_TXN_WRITE) code = sqlite3BtreeBeginStmt(tree, level);
    }
    return code;
}

/* Does what vdbeCloseStatement does at the end of such a statement. */
static int amalgam_close_undo_level(sqlite3 *db, int level, int undoes) {
    int code = SQLITE_OK;
    for (int i = 0; i < db->nDb; i++) {
        Btree *tree = db->aDb[i].pBt;
        if (tree == 0) continue;
        int result = undoes ? sqlite3BtreeSavepoint(tree, SAVEPOINT_ROLLBACK, level - 1) : SQLITE_OK;
        if (result == SQLITE_OK) result = sqlite3BtreeSavepoint(tree, SAVEPOINT_RELEASE, level - 1);
        if (code == SQLITE_OK) code = result;
    }
    if (undoes && code == SQLITE_OK) code = sqlite3VtabSavepoint(db, SAVEPOINT_ROLLBACK, level - 1);
    if (code == SQLITE_OK) code = sqlite3VtabSavepoint(db, SAVEPOINT_RELEASE, level - 1);
    return code;
}

/* Removes a level. A statement with results to read, which has begun after the level, may still have its own level. */
static void amalgam_remove_undo_level(sqlite3 *db, int level) {
    if (db->nStatement > 0) db->nStatement--;
    for (Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (vdbe->eVdbeState == VDBE_RUN_STATE && vdbe->iStatement > level) vdbe->iStatement--;
    }
}

/*
** A database in which the transaction has begun to write since then has no such level. And if the transaction has changed
** the schema, SQLite must read the schema again, which frees the tables that running statements use.
*/
static int amalgam_can_undo(sqlite3 *db, amalgam_undo_point point) {
    if ((db->mDbFlags & DBFLAG_SchemaChange) && db->nVdbeActive > 0) return 0;
    return amalgam_count_writers(db) == point.writers;
}

/* Does what OP_Savepoint does after a rollback to a savepoint. */
static void amalgam_read_schemas_again(sqlite3 *db) {
    sqlite3ExpirePreparedStatements(db, 0);
    sqlite3ResetAllSchemasOfConnection(db);
    db->mDbFlags |= DBFLAG_SchemaChange;
}

/*
** Whether the statement that has begun at a level has results to read, and its own level directly inside of that one: nothing
** has changed between the two. To release the outer one would release both, and SQLite couldn't undo the statement any more.
** So the inner one is released, and the statement gets the outer one. SQLite doesn't restore the schema when it undoes a
** statement, so the changes of a statement remain if the schema has changed.
*/
static int amalgam_statement_needs_level(const sqlite3 *db, int level, const Vdbe *vdbe) {
    return vdbe != 0 && vdbe->eVdbeState == VDBE_RUN_STATE && vdbe->iStatement == level + 1
        && (db->mDbFlags & DBFLAG_SchemaChange) == 0;
}

amalgam_undo_point amalgam_undo_begin(sqlite3 *db) {
    amalgam_undo_point point = {0, 0, db->nDeferredCons, db->nDeferredImmCons};
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    if (!db->autoCommit && sqlite3BtreeTxnState(db->aDb[0].pBt) == SQLITE_TXN_WRITE) {
        db->nStatement++;
        point.level = db->nSavepoint + db->nStatement;
        point.writers = amalgam_count_writers(db);
        if (sqlite3ApiExit(db, amalgam_open_undo_level(db, point.level)) != SQLITE_OK) {
            amalgam_close_undo_level(db, point.level, 0);
            amalgam_remove_undo_level(db, point.level);
            point.level = 0;
        }
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
    return point;
}

int amalgam_undo_end(sqlite3 *db, amalgam_undo_point point, int undoes, sqlite3_stmt *statement) {
    if (point.level == 0) return !undoes;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    const int succeeds = !db->autoCommit && (!undoes || amalgam_can_undo(db, point));
    const int keeps = !undoes && amalgam_statement_needs_level(db, point.level, (const Vdbe *)statement);
    const int level = point.level + keeps;
    int code = SQLITE_OK;
    if (!db->autoCommit) code = sqlite3ApiExit(db, amalgam_close_undo_level(db, level, undoes && succeeds));
    amalgam_remove_undo_level(db, point.level);
    if (undoes && succeeds) {
        db->nDeferredCons = point.deferred_violations;
        db->nDeferredImmCons = point.immediate_violations;
        db->nChange = 0;
        if (db->mDbFlags & DBFLAG_SchemaChange) amalgam_read_schemas_again(db);
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
    return succeeds && code == SQLITE_OK;
}
