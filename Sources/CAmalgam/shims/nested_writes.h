/*
** Protects a statement that writes from the statements that its SQL functions run.
**
** A statement may position a cursor, call a function, and then write at this position: a DELETE or UPDATE in one pass,
** an upsert, or a CHECK constraint after the choice of a rowid. SQLite relies on the function to leave the b-tree of the
** cursor unchanged, and doesn't check it: the statement would write to another place of the file.
*/

/* Whether a program that writes is in its first step, in which it changes all its rows. */
static int amalgam_is_writing(const Vdbe *vdbe) {
    return vdbe->eVdbeState == VDBE_RUN_STATE && !vdbe->readOnly && vdbe->pResultRow == 0;
}

/* Whether an instruction writes to the b-tree of the cursor in `context`. */
static int amalgam_writes_tree(const VdbeOp *operation, const void *context) {
    const VdbeCursor *cursor = context;
    switch (operation->opcode) {
    case OP_OpenWrite:
        return (Pgno)operation->p2 == cursor->pgnoRoot && operation->p3 == cursor->iDb
            && !(operation->p5 & OPFLAG_P2ISREG);
    case OP_Clear: return (Pgno)operation->p1 == cursor->pgnoRoot && operation->p2 == cursor->iDb;
    default: return 0;
    }
}

enum { AMALGAM_IS_OTHER, AMALGAM_OPENS_CURSOR, AMALGAM_MOVES_CURSOR, AMALGAM_NEEDS_POSITION };

/* What an instruction does with a cursor of its program. OP_NewRowid chooses a rowid, and moves the cursor for it. */
static int amalgam_cursor_use(const VdbeOp *operation, int cursor) {
    if (operation->p1 != cursor) return AMALGAM_IS_OTHER;
    switch (operation->opcode) {
    case OP_OpenRead: case OP_OpenWrite: case OP_Close: return AMALGAM_OPENS_CURSOR;
    case OP_Rewind: case OP_Last: case OP_Next: case OP_Prev: case OP_NullRow: case OP_NewRowid:
    case OP_SeekLT: case OP_SeekLE: case OP_SeekGE: case OP_SeekGT: case OP_SeekRowid: case OP_NotExists:
    case OP_Found: case OP_NotFound: case OP_NoConflict: case OP_IdxDelete: return AMALGAM_MOVES_CURSOR;
    case OP_Column: case OP_Rowid: case OP_IdxRowid: case OP_RowData: case OP_RowCell: case OP_DeferredSeek:
    case OP_FinishSeek: case OP_IdxLT: case OP_IdxLE: case OP_IdxGE: case OP_IdxGT: case OP_Delete: case OP_Insert:
    case OP_IdxInsert: return AMALGAM_NEEDS_POSITION;
    default: return AMALGAM_IS_OTHER;
    }
}

/* Whether an instruction may call code of the application: a function, or a virtual table. */
static int amalgam_calls_application(const VdbeOp *operation) {
    switch (operation->opcode) {
    case OP_VColumn: case OP_VFilter: case OP_VNext: case OP_VOpen: case OP_VUpdate: return 1;
    default: break;
    }
    const FuncDef *function = operation->p4type == P4_FUNCDEF ? operation->p4.pFunc
        : operation->p4type == P4_FUNCCTX ? operation->p4.pCtx->pFunc : 0;
    return function != 0 && !(function->funcFlags & SQLITE_FUNC_BUILTIN);
}

/* Whether a program moves a cursor before the call in one of its instructions, and needs the position after the call. */
static int amalgam_call_needs_position(const Vdbe *vdbe, int call, int cursor) {
    int use = AMALGAM_IS_OTHER;
    for (int i = call + 1; i < vdbe->nOp && use == AMALGAM_IS_OTHER; i++) {
        use = amalgam_cursor_use(&vdbe->aOp[i], cursor);
    }
    if (use != AMALGAM_NEEDS_POSITION) return 0;
    for (int i = 0; i < call; i++) {
        if (amalgam_cursor_use(&vdbe->aOp[i], cursor) >= AMALGAM_MOVES_CURSOR) return 1;
    }
    return 0;
}

/*
** Whether a running program needs the position of a cursor after a call of the application. Only the innermost frame is
** checked: after a trigger, which may change any rows, SQLite positions the cursors of the outer frames again.
*/
static int amalgam_needs_position(const Vdbe *vdbe, int cursor) {
    for (int i = 0; i < vdbe->nOp; i++) {
        if (amalgam_calls_application(&vdbe->aOp[i]) && amalgam_call_needs_position(vdbe, i, cursor)) return 1;
    }
    return 0;
}

static int amalgam_is_write_cursor(const VdbeCursor *cursor) {
    return cursor != 0 && cursor->eCurType == CURTYPE_BTREE && !cursor->isEphemeral
        && (cursor->uc.pCursor->curFlags & BTCF_WriteFlag);
}

/* Whether a statement, or any statement for NULL, could move a cursor of which a running program needs the position. */
static int amalgam_moves_cursors(const Vdbe *running, const Vdbe *statement) {
    for (int i = 0; i < running->nCursor; i++) {
        const VdbeCursor *cursor = running->apCsr[i];
        if (!amalgam_is_write_cursor(cursor)) continue;
        if (statement != 0 && !amalgam_find_instruction(statement, amalgam_writes_tree, cursor)) continue;
        if (amalgam_needs_position(running, i)) return 1;
    }
    return 0;
}

/* Whether a statement writes to a table to which a running statement writes at a position. */
static int amalgam_disturbs_writers(const sqlite3 *db, sqlite3_stmt *statement) {
    if (statement != 0 && !amalgam_program_is_current(statement) && !amalgam_recompile(statement)) return 0;
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (amalgam_is_writing(vdbe) && amalgam_moves_cursors(vdbe, (const Vdbe *)statement)) return 1;
    }
    return 0;
}

static int amalgam_may_change_rows(const sqlite3 *db, sqlite3_stmt *statement) {
    if (amalgam_runs_program(db, amalgam_fills_index)) return AMALGAM_ROWS_ARE_INDEXED;
    if (amalgam_disturbs_writers(db, statement)) return AMALGAM_ROWS_ARE_WRITTEN;
    if (!amalgam_runs_program(db, amalgam_collects_rows)) return AMALGAM_ROWS_MAY_CHANGE;
    return statement == 0 || amalgam_deletes_collected_rows(statement) ? AMALGAM_ROWS_ARE_COLLECTED
                                                                       : AMALGAM_ROWS_MAY_CHANGE;
}

int amalgam_row_changes(sqlite3 *db, sqlite3_stmt *statement) {
    if (db->nVdbeExec == 0) return AMALGAM_ROWS_MAY_CHANGE;
    /* A statement with rows to return has changed its rows. It must not be compiled again now. */
    if (statement != 0 && ((const Vdbe *)statement)->eVdbeState == VDBE_RUN_STATE) return AMALGAM_ROWS_MAY_CHANGE;
    const int answer = amalgam_may_change_rows(db, statement);
    if (answer == AMALGAM_ROWS_MAY_CHANGE) amalgam_note_nested_writer(db);
    return answer;
}

/*
** A running statement has no statement journal if it began outside of a transaction, and no other statement was running.
** The transaction then contains its changes only, and those of statements that it has called. SQLite doesn't use the two
** numbers of a statement without a journal: they identify the run.
*/
void amalgam_note_nested_writer(sqlite3 *db) {
    if (db->nVdbeExec == 0 || !db->autoCommit) return;
    for (Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (!amalgam_is_writing(vdbe) || vdbe->iStatement != 0) continue;
        /* A statement that needs no journal has none in a statement that writes, either. */
        if (!vdbe->usesStmtJournal && db->nVdbeWrite > 1) continue;
        vdbe->nStmtDefCons = (i64)(intptr_t)vdbe;
        vdbe->nStmtDefImmCons = vdbe->aCounter[SQLITE_STMTSTATUS_RUN];
    }
}

/* SQLite doesn't initialize the number. A statement at the same address may have had it. */
static void amalgam_forget_notes(sqlite3_stmt *statement) { ((Vdbe *)statement)->nStmtDefCons = 0; }

/* Whether a statement that has failed was noted in the run that has failed. */
static int amalgam_was_noted(const Vdbe *vdbe) {
    return vdbe->eVdbeState == VDBE_HALT_STATE && vdbe->nStmtDefCons == (i64)(intptr_t)vdbe
        && vdbe->nStmtDefImmCons == vdbe->aCounter[SQLITE_STMTSTATUS_RUN];
}

int amalgam_is_writing_now(sqlite3 *db) {
    return db->nVdbeExec > 0 && amalgam_runs_program(db, amalgam_is_writing);
}

/*
** Moves a cursor back to its row. If the row is gone, the program doesn't need the position: a statement that removes
** such a row is refused.
*/
static void amalgam_restore_cursor(VdbeCursor *cursor) {
    if (!amalgam_is_write_cursor(cursor) || cursor->uc.pCursor->eState != CURSOR_REQUIRESEEK) return;
    BtCursor *position = cursor->uc.pCursor;
    int differs = 0;
    cursor->cacheStatus = CACHE_STALE;
    int code = sqlite3BtreeCursorRestore(position, &differs);
    if (code == SQLITE_OK) return;
    /* The next use of the cursor fails with this code. */
    sqlite3BtreeClearCursor(position);
    position->eState = CURSOR_FAULT;
    position->skipNext = code;
}

static void amalgam_restore_all(VdbeCursor *const *cursors, int count) {
    for (int i = 0; i < count; i++) amalgam_restore_cursor(cursors[i]);
}

void amalgam_restore_cursors(sqlite3 *db) {
    if (db->nVdbeExec == 0) return;
    sqlite3_mutex_enter(db->mutex);
    sqlite3BtreeEnterAll(db);
    for (const Vdbe *vdbe = db->pVdbe; vdbe != 0; vdbe = vdbe->pVNext) {
        if (!amalgam_is_writing(vdbe)) continue;
        amalgam_restore_all(vdbe->apCsr, vdbe->nCursor);
        for (const VdbeFrame *frame = vdbe->pFrame; frame != 0; frame = frame->pParent) {
            amalgam_restore_all(frame->apCsr, frame->nCursor);
        }
    }
    sqlite3BtreeLeaveAll(db);
    sqlite3_mutex_leave(db->mutex);
}

/* Whether an instruction rolls back the transaction if a constraint is violated, or RAISE(ROLLBACK) runs. */
static int amalgam_rolls_back(const VdbeOp *operation, const void *context) {
    (void)context;
    switch (operation->opcode) {
    case OP_Halt: return operation->p1 != SQLITE_OK && operation->p2 == OE_Rollback;
    case OP_HaltIfNull: return operation->p2 == OE_Rollback;
    case OP_VUpdate: return operation->p5 == OE_Rollback;
    default: return 0;
    }
}

int amalgam_may_roll_back(sqlite3_stmt *statement) {
    if (!amalgam_program_is_current(statement) && !amalgam_recompile(statement)) return 0;
    return amalgam_find_instruction((const Vdbe *)statement, amalgam_rolls_back, 0);
}

/* Whether a program is changing rows, or relies on indexes in another way: see amalgam_may_rebuild_indexes. */
static int amalgam_is_using_indexes(const Vdbe *vdbe) { return amalgam_is_writing(vdbe) && amalgam_uses_tables(vdbe); }

int amalgam_may_rebuild_indexes(sqlite3 *db) { return !amalgam_runs_program(db, amalgam_is_using_indexes); }
