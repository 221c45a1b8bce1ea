/* Limits of the time and memory of statements, which also hold inside one instruction, and while SQL is compiled. */
#ifndef AMALGAM_LIMITS_H
#define AMALGAM_LIMITS_H

#include "amalgam_shims.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of one connection. They hold on the thread that uses them: see amalgam_limits_use. */
typedef struct amalgam_limits amalgam_limits;

/* A number for "no limit". */
#define AMALGAM_UNLIMITED INT64_MAX

/* The reason why the limits have stopped a statement. */
enum {
    AMALGAM_STOP_NONE = 0,
    AMALGAM_STOP_TIME = 1,
    AMALGAM_STOP_MEMORY = 2,
    AMALGAM_STOP_INTERRUPT = 3,
};

/* NULL if memory is exhausted. */
amalgam_limits *amalgam_limits_create(sqlite3 *db);
void amalgam_limits_free(amalgam_limits *limits);

/* The connection was closed. */
void amalgam_limits_detach(amalgam_limits *limits);

/* Counts memory from zero again. Memory allocated before isn't counted any more. */
void amalgam_limits_reset_memory(amalgam_limits *limits);

/*
** Sets the limits: the number of nanoseconds from now, and the number of bytes that `amalgam_limits_memory` may reach.
*/
void amalgam_limits_set(amalgam_limits *limits, int64_t nanoseconds, int64_t bytes);

/*
** The bytes that the connection has allocated on this thread, minus those it has freed, and the bytes of its temporary
** files. Memory allocated before `amalgam_limits_reset_memory`, or while the limits weren't in use, isn't counted.
*/
int64_t amalgam_limits_memory(const amalgam_limits *limits);

/*
** Uses the limits on the current thread. NULL uses none.
**
** Returns the limits that the thread has used so far, which the caller must restore.
*/
amalgam_limits *amalgam_limits_use(amalgam_limits *limits);

/*
** Suspends the limits of the current thread: memory is counted, but no statement stops. Returns the limits, which the caller
** must resume.
*/
amalgam_limits *amalgam_limits_suspend(void);
void amalgam_limits_resume(amalgam_limits *limits);

/* Sets the number of suspensions, and returns the previous one. */
int amalgam_limits_set_suspensions(amalgam_limits *limits, int count);

/* Returns the reason of the last stop, and forgets it. Ends the interruption of the connection by a limit. */
int amalgam_limits_take_stop(amalgam_limits *limits);

/* Whether the limits have stopped a statement since the last call of amalgam_limits_take_stop. */
int amalgam_limits_have_stopped(const amalgam_limits *limits);

/* Notes that the caller has stopped a statement. SQLite needs memory to undo its changes. */
void amalgam_limits_note_stop(amalgam_limits *limits, int reason);

/*
** Makes SQLite undo only the statement that exceeds a limit, and preserve the transaction. SQLite rolls back the transaction
** after an interrupt of a statement that writes, but not after a failed allocation in a statement with a statement journal.
** So such a statement ends as if memory were exhausted: see amalgam_use_journal. All statements in the middle of a step then
** fail. `callers` is the number of statements that were in a step before, and must not fail: above 0, SQLite rolls back the
** transaction.
*/
void amalgam_limits_preserve(amalgam_limits *limits, int on, int callers);

/* The number of statements that are executing a step. */
int amalgam_executing_statements(sqlite3 *db);

/*
** Whether SQLite has called the progress handler after the end of a statement, whose changes are final. The handler must ask
** once in each call.
*/
int amalgam_take_after_statement(void);

/* Called when the progress handler is about to stop a statement. */
void amalgam_limits_end_statement(amalgam_limits *limits);

/* Whether a statement must stop now: the connection is interrupted, or the time limit of the thread is exceeded. */
int amalgam_must_stop(sqlite3 *db);

/* Whether the time limit of the current thread is exceeded. */
int amalgam_thread_must_stop(void);

/* Makes the built-in functions look at the time limit before each call. Call it once, after sqlite3_initialize. */
int amalgam_limit_functions(void);

/*
** Whether an auxiliary function must stop: see amalgam_must_stop. With NULL, whether a tokenizer must stop: see
** amalgam_thread_must_stop.
*/
int amalgam_fts5_must_stop(Fts5Context *context);

#ifdef __cplusplus
}
#endif
#endif
