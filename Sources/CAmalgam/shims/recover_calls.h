/*
** What SQLite's recovery, vendor/sqlite/recover.c, calls since vendor/sqlite/recover.patch: see include/amalgam_recover.h. The
** functions are in shims/recover.h.
*/
typedef struct sqlite3_recover sqlite3_recover;
struct RecoverTable;

/* A virtual table of the damaged database. The strings are allocated. */
typedef struct amalgam_recover_virtual {
    char *name, *sql, *module;
    int state;
} amalgam_recover_virtual;

struct amalgam_recover {
    sqlite3_recover *work;
    sqlite3 *input, *output;
    int phase;
    int is_encrypted; /* the damaged database */
    int is_out_of_memory;
    int has_released; /* the output is the caller's again */
    int64_t page_count, read_pages, unreadable_pages;
    int64_t saved_rows, refused_rows, lost_rows;
    Bitvec *pages, *unreadable; /* those that were read, and those that could not be */
    char *lost_table;
    amalgam_recovered_table *tables; /* the names are allocated */
    int table_count;
    amalgam_recover_virtual *virtuals;
    int virtual_count;
};

/* Notes that a page was read. */
static void amalgam_recover_did_read(sqlite3_recover *p, i64 page);
/* After a page was asked for: whether it can't be read, and counts as lost. Notes other errors. */
static int amalgam_recover_skips_page(sqlite3_recover *p, i64 page, int code);
/* Prepares the output for the settings of the damaged database. */
static void amalgam_recover_begin_settings(sqlite3_recover *p);
static int amalgam_recover_wants_setting(sqlite3_recover *p, const char *pragma);
/* Runs a statement of the damaged schema. It may create one table, index, view or trigger, and do nothing else. */
static int amalgam_recover_create(sqlite3_recover *p, const char *sql);
/* Creates a full-text table whose index can be built from its content; notes other virtual tables for the end. */
static int amalgam_recover_create_virtual(sqlite3_recover *p, const char *name, const char *sql);
/* Whether a table belongs to a full-text table that was created, and whether its rows are wanted. */
static int amalgam_recover_is_shadow(sqlite3_recover *p, const char *name, int *wants_rows);
/* The name of the rowid that isn't the name of a column; NULL if there is none. */
static const char *amalgam_recover_rowid_name(struct RecoverTable *table);
/* Compiles the INSERT of a table. NULL without an error if its schema has an expression that can't be compiled. */
static sqlite3_stmt *amalgam_recover_prepare_insert(sqlite3_recover *p, const char *sql);
/* Inserts a row, and counts it. Without a statement, the row is refused. */
static void amalgam_recover_insert(sqlite3_recover *p, struct RecoverTable *table, sqlite3_stmt *statement);
/* The number of columns that the table of lost rows can have. */
static int amalgam_recover_lost_columns(sqlite3_recover *p, int wanted);
static void amalgam_recover_note_lost_table(sqlite3_recover *p, const char *name);
static void amalgam_recover_note_table(sqlite3_recover *p, const char *name, i64 saved, i64 refused);
/* Gives the output back to the caller. */
static void amalgam_recover_release(sqlite3_recover *p);
/* Whether the damaged database has no codec, so that the recovery may replace the header of its file. */
static int amalgam_recover_is_clear(sqlite3_recover *p);
static int amalgam_recover_is_page_size(u32 size);
/* The page size for which most pages of the file look like pages of a B-tree. */
static int amalgam_recover_guess_page_size(sqlite3_file *file, i64 size, u32 *page_size);
