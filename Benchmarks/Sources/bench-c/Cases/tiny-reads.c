// 20,000 reads of one value on one connection, each in a separate transaction with a separate statement. This is the
// work of a queue or a pool for a read, without threads, read-only guards and caches. The two cases differ in journal
// mode.

#include "../Database.h"

static sqlite3 *db;

static void set_up(const char *folder) {
    db = open_integers(folder);
}

static void set_up_in_wal(const char *folder) {
    db = open_integers_in_wal(folder);
}

static int64_t run(void) {
    int64_t sum = 0;
    for (int read = 0; read < INTEGERS_TINY_READS; read++) {
        execute(db, "BEGIN");
        sum += fetch_int64(db, INTEGERS_SELECT_TINY);
        execute(db, "COMMIT");
    }
    return sum;
}

const Case tiny_reads_queue = {"tiny-reads-queue", set_up, NULL, run, NULL};
const Case tiny_reads_pool = {"tiny-reads-pool", set_up_in_wal, NULL, run, NULL};
