/* What a compiled program opens, reads and writes: see include/amalgam_program.h. */

/* The instructions of a program, or of a part of it that uses cursors of its own. */
typedef struct amalgam_part {
    sqlite3 *db;
    const VdbeOp *ops;
    int count;
    int is_nested;
    int is_prologue; /* the instructions that run first, which SQLite puts at the end */
    int tells_all_columns;
    void *context;
    void (*tell)(void *context, const amalgam_access *access);
} amalgam_part;

static const char *amalgam_schema_name(const sqlite3 *db, const Schema *schema) {
    for (int i = 0; i < db->nDb; i++) {
        if (db->aDb[i].pSchema == schema) return db->aDb[i].zDbSName;
    }
    return 0;
}

static void amalgam_tell_access(const amalgam_part *part, int kind, const Table *table, const char *column) {
    const amalgam_access access = {
        kind, table == 0 ? 0 : amalgam_schema_name(part->db, table->pSchema), table == 0 ? 0 : table->zName, column,
        part->is_nested};
    part->tell(part->context, &access);
}

/* Finds the table or index with a root page. For an index, `*table` is its table. */
static int amalgam_find_root(const sqlite3 *db, int schema, Pgno root, Table **table, Index **index) {
    *table = 0;
    *index = 0;
    if (schema < 0 || schema >= db->nDb) return 0;
    const Schema *searched = db->aDb[schema].pSchema;
    for (HashElem *element = sqliteHashFirst(&searched->tblHash); element != 0; element = sqliteHashNext(element)) {
        Table *found = sqliteHashData(element);
        if (found->tnum != root || !IsOrdinaryTable(found)) continue;
        *table = found;
        if (!HasRowid(found)) *index = sqlite3PrimaryKeyIndex(found);
        return 1;
    }
    for (HashElem *element = sqliteHashFirst(&searched->idxHash); element != 0; element = sqliteHashNext(element)) {
        Index *found = sqliteHashData(element);
        if (found->tnum != root) continue;
        *table = found->pTable;
        *index = found;
        return 1;
    }
    return 0;
}

typedef struct amalgam_column_visit {
    const amalgam_part *part;
    const Table *table;
} amalgam_column_visit;

static int amalgam_visit_expression(Walker *walker, Expr *expression);

/*
** Tells a column, and the columns from which it is computed. SQLite's flag for columns whose value it computes marks the
** visited ones: there may be many ways from one column to another.
*/
static void amalgam_visit_column(const amalgam_column_visit *visit, int index) {
    Column *column = &visit->table->aCol[index];
    if (column->colFlags & COLFLAG_BUSY) return;
    column->colFlags |= COLFLAG_BUSY;
    amalgam_tell_access(visit->part, AMALGAM_READS_COLUMN, visit->table, column->zCnName);
    if ((column->colFlags & COLFLAG_GENERATED) == 0) return;
    Walker walker;
    memset(&walker, 0, sizeof walker);
    walker.xExprCallback = amalgam_visit_expression;
    walker.xSelectCallback = sqlite3SelectWalkNoop;
    walker.u.pRename = (struct RenameCtx *)visit;
    sqlite3WalkExpr(&walker, sqlite3ColumnExpr((Table *)visit->table, column));
}

static int amalgam_visit_expression(Walker *walker, Expr *expression) {
    const amalgam_column_visit *visit = (const amalgam_column_visit *)walker->u.pRename;
    if (expression->op != TK_COLUMN) return WRC_Continue;
    const int column = expression->iColumn < 0 ? visit->table->iPKey : expression->iColumn;
    if (column >= 0 && column < visit->table->nCol) amalgam_visit_column(visit, column);
    return WRC_Continue;
}

static void amalgam_tell_column(const amalgam_part *part, const Table *table, int column) {
    const amalgam_column_visit visit = {part, table};
    /* The rowid without a name isn't a column. */
    if (column < 0) column = table->iPKey;
    if (column < 0 || column >= table->nCol) return;
    amalgam_visit_column(&visit, column);
    for (int i = 0; i < table->nCol; i++) table->aCol[i].colFlags &= ~COLFLAG_BUSY;
}

static void amalgam_tell_columns(const amalgam_part *part, const Table *table) {
    for (int i = 0; i < table->nCol; i++) amalgam_tell_column(part, table, i);
}

/* Tells the column of a field of an index. An expression was reported to the authorizer with its columns. */
static void amalgam_tell_field(const amalgam_part *part, const Index *index, int field) {
    if (field < 0 || field >= index->nColumn) return;
    if (index->aiColumn[field] != XN_EXPR) amalgam_tell_column(part, index->pTable, index->aiColumn[field]);
}

/* The number of fields that an instruction compares with those of an index. */
static int amalgam_compared_fields(const VdbeOp *op, const Index *index) {
    switch (op->opcode) {
    case OP_SeekLT:
    case OP_SeekLE:
    case OP_SeekGE:
    case OP_SeekGT:
    case OP_IdxLE:
    case OP_IdxGT:
    case OP_IdxLT:
    case OP_IdxGE:
    case OP_IfNoHope:
    case OP_NoConflict:
    case OP_NotFound:
    case OP_Found:
        /* Without a number, a whole record is compared. */
        return op->p4type == P4_INT32 && op->p4.i > 0 ? op->p4.i : index->nKeyCol;
    case OP_RowData: return index->nColumn;
    default: return 0;
    }
}

static void amalgam_tell_reads_of_index(const amalgam_part *part, const Index *index, int cursor) {
    for (int i = 0; i < part->count; i++) {
        const VdbeOp *op = &part->ops[i];
        if (op->opcode == OP_RowCell && op->p2 == cursor) amalgam_tell_columns(part, index->pTable);
        if (op->p1 != cursor) continue;
        if (op->opcode == OP_Column) amalgam_tell_field(part, index, op->p2);
        const int fields = amalgam_compared_fields(op, index);
        for (int field = 0; field < fields; field++) amalgam_tell_field(part, index, field);
    }
}

static void amalgam_tell_reads_of_table(const amalgam_part *part, Table *table, int cursor) {
    for (int i = 0; i < part->count; i++) {
        const VdbeOp *op = &part->ops[i];
        if (op->opcode == OP_RowCell && op->p2 == cursor) amalgam_tell_columns(part, table);
        if (op->p1 != cursor) continue;
        switch (op->opcode) {
        case OP_Column:
            if (op->p2 < table->nNVCol) amalgam_tell_column(part, table, sqlite3StorageColumnToTable(table, (i16)op->p2));
            break;
        case OP_Rowid:
        case OP_SeekRowid:
        case OP_NotExists:
        case OP_SeekLT:
        case OP_SeekLE:
        case OP_SeekGE:
        case OP_SeekGT: amalgam_tell_column(part, table, -1); break;
        case OP_RowData: amalgam_tell_columns(part, table); break;
        default: break;
        }
    }
}

/* Whether the cursor is opened again, for writing the same table or index. Then its columns are read to write the row. */
static int amalgam_is_written(const amalgam_part *part, const VdbeOp *opening) {
    for (int i = 0; i < part->count; i++) {
        const VdbeOp *op = &part->ops[i];
        if (op->opcode == OP_OpenWrite && op->p1 == opening->p1 && op->p2 == opening->p2 && op->p3 == opening->p3) return 1;
    }
    return 0;
}

static void amalgam_tell_opening(const amalgam_part *part, const VdbeOp *op) {
    Table *table;
    Index *index;
    /* The root page of a table that is being created is in a register. */
    if (op->p5 & OPFLAG_P2ISREG) return;
    const int is_found = amalgam_find_root(part->db, op->p3, (Pgno)op->p2, &table, &index);
    /* The counters of AUTOINCREMENT are read by an INSERT without a column of the statement. */
    if (is_found && part->is_prologue && table == table->pSchema->pSeqTab) return;
    if (!is_found || op->opcode == OP_OpenWrite || amalgam_is_written(part, op)) {
        const int is_index = is_found && index != 0 && index->tnum != table->tnum;
        amalgam_tell_access(part, is_index ? AMALGAM_WRITES_INDEX : AMALGAM_WRITES_TABLE, table, 0);
        return;
    }
    amalgam_tell_access(part, AMALGAM_OPENS_TABLE, table, 0);
    if (index != 0) {
        amalgam_tell_reads_of_index(part, index, op->p1);
    } else {
        amalgam_tell_reads_of_table(part, table, op->p1);
    }
}

/* The table that a connected virtual table belongs to. */
static Table *amalgam_table_of(const sqlite3 *db, const VTable *connected) {
    for (int i = 0; i < db->nDb; i++) {
        const Hash *tables = &db->aDb[i].pSchema->tblHash;
        for (HashElem *element = sqliteHashFirst(tables); element != 0; element = sqliteHashNext(element)) {
            Table *table = sqliteHashData(element);
            if (!IsVirtual(table)) continue;
            for (const VTable *own = table->u.vtab.p; own != 0; own = own->pNext) {
                if (own == connected) return table;
            }
        }
    }
    return connected->pMod == 0 ? 0 : connected->pMod->pEpoTab;
}

/*
** Tells the column that a full-text search names: `body MATCH ?` of FTS5 finds words of the column only. All other
** searches find words of all columns, and count as reads of the hidden column that is named like the table.
*/
static void amalgam_tell_search(const amalgam_part *part, const Table *table, const VTable *connected, int filter) {
    const VdbeOp *op = &part->ops[filter];
    const sqlite3_module *module = connected->pMod->pModule;
    if (module->xOpen == fts5OpenMethod && op->p4type != P4_NOTUSED && op->p4.z != 0) {
        /* A plan is a letter for each argument, followed by a number. The description of a ranked search follows. */
        for (const char *text = op->p4.z; *text != 0 && *text != ','; text++) {
            if (*text == 'M') amalgam_tell_column(part, table, atoi(text + 1));
        }
    } else if (module->xOpen == fts3OpenMethod) {
        for (int i = filter; i >= 0; i--) {
            const VdbeOp *plan = &part->ops[i];
            if (plan->opcode != OP_Integer || plan->p2 != op->p3) continue;
            /* The number of columns is that of the hidden column. */
            if ((plan->p1 & 0xffff) >= FTS3_FULLTEXT_SEARCH) {
                amalgam_tell_column(part, table, ((const Fts3Table *)connected->pVtab)->nColumn);
            }
            return;
        }
    }
}

/* Whether a program calls an auxiliary function of FTS5, such as highlight(). */
static int amalgam_calls_fts5(const amalgam_part *part) {
    for (int i = 0; i < part->count; i++) {
        const VdbeOp *op = &part->ops[i];
        const FuncDef *function = op->p4type == P4_FUNCDEF ? op->p4.pFunc
            : op->p4type == P4_FUNCCTX ? op->p4.pCtx->pFunc : 0;
        if (function != 0 && function->xSFunc == fts5ApiCallback) return 1;
    }
    return 0;
}

/*
** Tells the hidden column that is named like an FTS5 table, and stands for all columns, if an auxiliary function is called.
** Such a function shows all columns of the row at a cursor. It expects the hidden column as its first argument, whose value
** is the number of the cursor, but SQLite accepts any column of a virtual table that has the number as its value.
*/
static void amalgam_tell_auxiliary_functions(const amalgam_part *part, const Table *table, const VTable *connected) {
    if (connected->pVtab == 0 || connected->pMod->pModule->xOpen != fts5OpenMethod || !amalgam_calls_fts5(part)) return;
    amalgam_tell_column(part, table, ((const Fts5Table *)connected->pVtab)->pConfig->nCol);
}

static void amalgam_tell_virtual_table(const amalgam_part *part, const VdbeOp *opening) {
    if (opening->p4type != P4_VTAB || opening->p4.pVtab == 0) return;
    const VTable *connected = opening->p4.pVtab;
    const Table *table = amalgam_table_of(part->db, connected);
    if (opening->opcode == OP_VUpdate) {
        amalgam_tell_access(part, AMALGAM_WRITES_VIRTUAL_TABLE, table, 0);
        return;
    }
    const int is_function = table != 0 && (table->tabFlags & TF_Eponymous) != 0;
    amalgam_tell_access(part, is_function ? AMALGAM_OPENS_TABLE_FUNCTION : AMALGAM_OPENS_VIRTUAL_TABLE, table, 0);
    if (table == 0) return;
    if (part->tells_all_columns) amalgam_tell_columns(part, table);
    amalgam_tell_auxiliary_functions(part, table, connected);
    for (int i = 0; i < part->count; i++) {
        const VdbeOp *op = &part->ops[i];
        if (op->p1 != opening->p1) continue;
        if (op->opcode == OP_VColumn) amalgam_tell_column(part, table, op->p2);
        if (op->opcode == OP_VFilter) amalgam_tell_search(part, table, connected, i);
    }
}

static void amalgam_tell_instruction(const amalgam_part *part, const VdbeOp *op) {
    Table *table;
    Index *index;
    switch (op->opcode) {
    case OP_OpenRead:
    case OP_OpenWrite:
    case OP_ReopenIdx: amalgam_tell_opening(part, op); break;
    case OP_Clear:
        /* The root page of an ephemeral table isn't in a schema. */
        if (amalgam_find_root(part->db, op->p2, (Pgno)op->p1, &table, &index) && (index == 0 || !HasRowid(table))) {
            amalgam_tell_access(part, AMALGAM_WRITES_TABLE, table, 0);
        }
        break;
    case OP_VUpdate:
    case OP_VOpen: amalgam_tell_virtual_table(part, op); break;
    default: break;
    }
}

static void amalgam_tell_part(const amalgam_part *part) {
    for (int i = 0; i < part->count; i++) amalgam_tell_instruction(part, &part->ops[i]);
}

static void amalgam_tell_program(
    const Vdbe *vdbe, int tells_all_columns, void *context, void (*tell)(void *context, const amalgam_access *access)
) {
    const amalgam_instructions main = amalgam_main_program(vdbe);
    const VdbeOp *ops = main.operations;
    const int has_prologue = main.count > 0 && ops[0].opcode == OP_Init && ops[0].p2 > 0;
    const int start = has_prologue ? ops[0].p2 : main.count;
    amalgam_part part = {vdbe->db, ops, start, 0, 0, tells_all_columns, context, tell};
    amalgam_tell_part(&part);
    part.ops = ops + start;
    part.count = main.count - start;
    part.is_prologue = 1;
    amalgam_tell_part(&part);
    part.is_prologue = 0;
    part.is_nested = 1;
    for (const SubProgram *program = vdbe->pProgram; program != 0; program = program->pNext) {
        part.ops = program->aOp;
        part.count = program->nOp;
        amalgam_tell_part(&part);
    }
}

int amalgam_program_accesses(
    sqlite3_stmt *statement, int tells_all_columns, void *context,
    void (*tell)(void *context, const amalgam_access *access)
) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    amalgam_enter_schemas(vdbe->db);
    const int is_current = amalgam_program_is_current(statement);
    if (is_current) amalgam_tell_program(vdbe, tells_all_columns, context, tell);
    amalgam_leave_schemas(vdbe->db);
    return is_current;
}

/* ---- Steps ------------------------------------------------------------------------------- */

int amalgam_compile_again(sqlite3_stmt *statement) { return amalgam_recompile(statement); }

int amalgam_step_current(sqlite3_stmt *statement) {
    const Vdbe *vdbe = (const Vdbe *)statement;
    sqlite3 *db = vdbe->db;
    if (vdbe->eVdbeState == VDBE_RUN_STATE) return sqlite3_step(statement);
    if (!amalgam_program_is_current(statement)) return AMALGAM_NOT_STEPPED;
    amalgam_schema_lock(db);
    const int code = sqlite3_step(statement);
    amalgam_schema_unlock(db);
    if ((code & 0xff) != SQLITE_SCHEMA || amalgam_program_is_current(statement)) return code;
    sqlite3_reset(statement);
    return AMALGAM_NOT_STEPPED;
}
