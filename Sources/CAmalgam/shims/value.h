/*
** Reads the columns of the current row, and copies the row.
**
** For each column, sqlite3_column_x acquires the connection's mutex, checks the index, converts the value, and checks
** for an out-of-memory error. A value that already has the wanted type needs none of this. amalgam_column returns such
** a value without these steps. The caller checks the flags of the value, and calls sqlite3_column_x for all other
** values (UTF-16, blobs with implicit zeros, conversions).
*/
_Static_assert(offsetof(amalgam_value, integer) == offsetof(Mem, u), "Mem.u has moved");
_Static_assert(offsetof(amalgam_value, bytes) == offsetof(Mem, z), "Mem.z has moved");
_Static_assert(offsetof(amalgam_value, length) == offsetof(Mem, n), "Mem.n has moved");
_Static_assert(offsetof(amalgam_value, flags) == offsetof(Mem, flags), "Mem.flags has moved");
_Static_assert(offsetof(amalgam_value, encoding) == offsetof(Mem, enc), "Mem.enc has moved");
_Static_assert(offsetof(amalgam_value, subtype) == offsetof(Mem, eSubtype), "Mem.eSubtype has moved");
_Static_assert(AMALGAM_NULL == MEM_Null && AMALGAM_TEXT == MEM_Str && AMALGAM_INTEGER == MEM_Int, "flags");
_Static_assert(AMALGAM_REAL == MEM_Real && AMALGAM_BLOB == MEM_Blob && AMALGAM_ZERO_FILLED == MEM_Zero, "flags");
_Static_assert(AMALGAM_INTEGER_AS_REAL == MEM_IntReal && AMALGAM_TYPE_MASK == MEM_AffMask, "flags");
_Static_assert(SQLITE_UTF8 == 1, "encoding");

const amalgam_value *amalgam_column(sqlite3_stmt *statement, int index) {
    static const amalgam_value null_value = { .flags = AMALGAM_NULL };
    Vdbe *vdbe = (Vdbe *)statement;
    if (vdbe->pResultRow == 0 || (unsigned)index >= (unsigned)vdbe->nResColumn) return &null_value;
    return (const amalgam_value *)&vdbe->pResultRow[index];
}

/* Makes a value readable through amalgam_value: a UTF-8 string, or a blob with all its bytes. */
static int amalgam_materialize(sqlite3_stmt *statement, int index, const Mem *value) {
    if ((value->flags & MEM_Str) && value->enc != SQLITE_UTF8) return sqlite3_column_text(statement, index) != 0;
    if (value->flags & MEM_Zero) return sqlite3_column_blob(statement, index) != 0 || value->n == 0;
    return 1;
}

amalgam_cell *amalgam_row_allocate(size_t size) { return sqlite3_malloc64(size); }

/* The number of columns of the current row, at most `count`. Further values are NULL, as in amalgam_column. */
static int amalgam_available(const Vdbe *vdbe, int count) {
    int available = vdbe->pResultRow == 0 ? 0 : vdbe->nResColumn;
    return available < count ? available : count;
}

static size_t amalgam_head_size(int count) { return sizeof(amalgam_cell) * (size_t)(count > 0 ? count : 1); }

size_t amalgam_row_size(sqlite3_stmt *statement, int count) {
    Vdbe *vdbe = (Vdbe *)statement;
    const Mem *row = vdbe->pResultRow;
    int available = amalgam_available(vdbe, count);
    size_t size = amalgam_head_size(count);
    for (int i = 0; i < available; i++) {
        if ((row[i].flags & (MEM_Str | MEM_Blob)) == 0) continue;
        if (!amalgam_materialize(statement, i, &row[i])) return 0;
        size += (size_t)row[i].n;
    }
    return size;
}

void amalgam_row_write(sqlite3_stmt *statement, int count, amalgam_cell *cells) {
    Vdbe *vdbe = (Vdbe *)statement;
    const Mem *row = vdbe->pResultRow;
    int available = amalgam_available(vdbe, count);
    size_t offset = amalgam_head_size(count);
    for (int i = 0; i < count; i++) {
        amalgam_cell *cell = &cells[i];
        *cell = (amalgam_cell){ .type = SQLITE_NULL };
        if (i >= available) continue;
        const Mem *value = &row[i];
        if (value->flags & MEM_Null) {
            continue;
        } else if (value->flags & MEM_Int) {
            cell->type = SQLITE_INTEGER;
            cell->payload = value->u.i;
        } else if (value->flags & (MEM_Real | MEM_IntReal)) {
            double real = (value->flags & MEM_Real) ? value->u.r : (double)value->u.i;
            cell->type = SQLITE_FLOAT;
            memcpy(&cell->payload, &real, sizeof real);
        } else {
            cell->type = (value->flags & MEM_Str) ? SQLITE_TEXT : SQLITE_BLOB;
            cell->payload = (int64_t)offset;
            cell->length = value->n;
            if (value->n > 0) memcpy((char *)cells + offset, value->z, (size_t)value->n);
            offset += (size_t)value->n;
        }
    }
}

amalgam_cell *amalgam_row_copy(sqlite3_stmt *statement, int count) {
    size_t size = amalgam_row_size(statement, count);
    amalgam_cell *cells = size == 0 ? 0 : sqlite3_malloc64(size);
    if (cells) amalgam_row_write(statement, count, cells);
    return cells;
}

void amalgam_row_free(amalgam_cell *cells) { sqlite3_free(cells); }
