/* Sessions and changesets: see include/amalgam_sessions.h. */

int amalgam_changeset_is_patchset(const sqlite3_changeset_iter *iterator) { return iterator->bPatchset; }

const void *amalgam_changeset_change(const sqlite3_changeset_iter *iterator, int *count) {
    *count = iterator->in.iNext - iterator->in.iCurrent;
    return iterator->in.aData + iterator->in.iCurrent;
}

/* SQLite's iterator reads a value of an unknown type as NULL, but SQLite's functions that combine changes don't. */
int amalgam_changeset_is_readable(const sqlite3_changeset_iter *iterator) {
    const SessionInput *in = &iterator->in;
    /* The operation and the indirect flag come first. */
    for (int i = in->iCurrent + 2; i < in->iNext; i++) {
        int length = 0;
        switch (in->aData[i]) {
        case 0:
        case SQLITE_NULL: break;
        case SQLITE_INTEGER:
        case SQLITE_FLOAT: i += 8; break;
        case SQLITE_TEXT:
        case SQLITE_BLOB:
            i += sessionVarintGetSafe(&in->aData[i + 1], in->iNext - i - 1, &length);
            if (length < 0 || length > in->iNext - i - 1) return 0;
            i += length;
            break;
        default: return 0;
        }
    }
    return 1;
}

int amalgam_session_is_log(const char *table) { return strncmp(table, "amalgam_audit_", 14) == 0; }

/* One run of an application. SQLite asks about changes only if it applies changes of their table. */
typedef struct amalgam_application_run {
    amalgam_application *application;
    int is_unnamed; /* there was no memory for the name of the waiting table */
    int code;       /* SQLITE_NOMEM if such a table was skipped */
} amalgam_application_run;

static void amalgam_application_skip_waiting(amalgam_application_run *run) {
    amalgam_application *application = run->application;
    if (application->waiting != 0) application->skips_table(application->context, application->waiting);
    if (run->is_unnamed) run->code = SQLITE_NOMEM;
}

static void amalgam_application_clear_waiting(amalgam_application_run *run) {
    sqlite3_free(run->application->waiting);
    run->application->waiting = 0;
    run->is_unnamed = 0;
}

static int amalgam_application_table(void *context, const char *table) {
    amalgam_application_run *run = context;
    amalgam_application *application = run->application;
    amalgam_application_skip_waiting(run);
    amalgam_application_clear_waiting(run);
    if (!application->includes_table(application->context, table)) return 0;
    application->waiting = sqlite3_mprintf("%s", table);
    run->is_unnamed = application->waiting == 0;
    return 1;
}

static int amalgam_application_change(void *context, sqlite3_changeset_iter *change) {
    amalgam_application_run *run = context;
    const amalgam_application *application = run->application;
    amalgam_application_clear_waiting(run);
    return application->includes_change == 0 || application->includes_change(application->context, change);
}

static int amalgam_application_resolve(void *context, int conflict, sqlite3_changeset_iter *change) {
    const amalgam_application *application = ((amalgam_application_run *)context)->application;
    return application->resolve(application->context, conflict, change);
}

int amalgam_session_apply(sqlite3 *db, amalgam_application *application) {
    amalgam_application_run run = { .application = application };
    const int code = sessionChangesetApplyV23(
        db, application->count, (void *)application->bytes, application->read, application->source,
        amalgam_application_table, amalgam_application_change, amalgam_application_resolve, &run,
        &application->resolutions, &application->resolution_count, application->flags);
    amalgam_application_skip_waiting(&run);
    amalgam_application_clear_waiting(&run);
    return code != SQLITE_OK ? code : run.code;
}

int amalgam_hooks_report_savepoints(amalgam_hooks *hooks, int on) {
    int previous = hooks->reports_savepoints;
    hooks->reports_savepoints = on;
    return previous;
}

int64_t amalgam_deferred_violations(const sqlite3 *db) { return db->nDeferredCons + db->nDeferredImmCons; }

int amalgam_is_session_statement(const amalgam_hooks *hooks, const sqlite3_stmt *statement) {
    for (const sqlite3_session *session = hooks->sessions; session; session = session->pNext) {
        for (const SessionTable *table = session->pTable; table; table = table->pNext) {
            if (table->pDfltStmt == statement) return 1;
        }
    }
    return 0;
}

int amalgam_rebase(sqlite3_rebaser *rebaser, int count, const void *bytes, int *result_count, void **result) {
    sqlite3_changeset_iter *changes = 0;
    int code = sqlite3changeset_start(&changes, count, (void *)bytes);
    if (code != SQLITE_OK) return code;
    code = sessionRebase(rebaser, changes, 0, 0, result_count, result);
    int end = sqlite3changeset_finalize(changes);
    if (code != SQLITE_OK || end == SQLITE_OK) return code;
    sqlite3_free(*result);
    *result = 0;
    *result_count = 0;
    return end;
}
