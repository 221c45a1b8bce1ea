/*
** The state after a power failure. Each operation on a file that no later sync of the file covers, and each entry of the
** folder that no later sync of the folder covers, is kept, lost or torn. Applying the kept ones in order includes all
** other orders: a sector may hold each of the versions that were written since the last sync.
*/
#include "power.h"
#ifdef AMALGAM_POWER_HAVE_SQLITE

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

/* What the crash leaves of a file. */
typedef struct {
    amalgam_power_file *file;
    int64_t last_sync; /* the index of the last sync of the file before the crash, or -1 */
    int is_named;      /* has its name after the crash */
    int is_chosen;     /* whether AMALGAM_POWER_CHOOSES_FILES keeps what was not synced */
    unsigned char *content;
    int64_t size, capacity;
} image;

typedef struct {
    amalgam_power_disk *disk;
    int64_t count;
    amalgam_power_behavior behavior;
    uint64_t random;
    image *images;          /* by the index of the file */
    int64_t last_folder_sync;
    int64_t pending;        /* the number of operations without a sync */
    int64_t chosen;         /* one of them, counted from 0 */
    int64_t position;       /* the number of those that were decided */
    int keeps_others;       /* for AMALGAM_POWER_CHOOSES_ONE */
    int leaves_garbage;     /* in parts of a file that were never written */
} crash;

/* SplitMix64. */
static uint64_t draw(crash *self, uint64_t below) {
    uint64_t z = self->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

/* ---- Contents ----------------------------------------------------------------------------- */

static void resize(crash *self, image *image, int64_t size) {
    if (size > image->capacity) {
        image->capacity = size * 2;
        image->content = realloc(image->content, (size_t)image->capacity);
        if (image->content == 0) abort();
    }
    for (int64_t offset = image->size; offset < size; offset++) {
        image->content[offset] = self->leaves_garbage ? (unsigned char)draw(self, 256) : 0;
    }
    image->size = size;
}

static void write_part(crash *self, image *image, const amalgam_power_record *record, int64_t start, int64_t end) {
    if (end > image->size) resize(self, image, end);
    memcpy(image->content + start, record->content + (start - record->offset), (size_t)(end - start));
}

static void apply(crash *self, image *image, const amalgam_power_record *record) {
    if (record->operation == AMALGAM_POWER_TRUNCATE) return resize(self, image, record->offset);
    write_part(self, image, record, record->offset, record->offset + record->size);
}

/* Applies a random choice of the sectors of a write. The file may have its new length nevertheless. */
static void tear(crash *self, image *image, const amalgam_power_record *record) {
    int64_t end = record->offset + record->size;
    if (record->operation == AMALGAM_POWER_TRUNCATE) {
        if (draw(self, 2)) apply(self, image, record);
        return;
    }
    for (int64_t start = record->offset; start < end;) {
        int64_t next = (start / SECTOR + 1) * SECTOR;
        if (next > end) next = end;
        if (draw(self, 2)) write_part(self, image, record, start, next);
        start = next;
    }
    if (end > image->size && draw(self, 2)) resize(self, image, end);
}

/* ---- Decisions ---------------------------------------------------------------------------- */

typedef enum { LOST, KEPT, TORN } fate;

/* The fate of the next operation that wasn't synced. */
static fate decide(crash *self, const image *image) {
    int64_t position = self->position++;
    switch (self->behavior) {
    case AMALGAM_POWER_LOSES_ALL: return LOST;
    case AMALGAM_POWER_KEEPS_ALL: return KEPT;
    case AMALGAM_POWER_KEEPS_ORDER: return position < self->chosen ? KEPT : position == self->chosen ? TORN : LOST;
    case AMALGAM_POWER_REORDERS: return draw(self, 2) ? KEPT : LOST;
    case AMALGAM_POWER_TEARS: return TORN;
    case AMALGAM_POWER_CHOOSES_FILES: return image->is_chosen ? KEPT : LOST;
    default: return (position == self->chosen) != self->keeps_others ? KEPT : LOST;
    }
}

static int is_of_folder(amalgam_power_operation operation) {
    return operation == AMALGAM_POWER_CREATE || operation == AMALGAM_POWER_DELETE || operation == AMALGAM_POWER_SYNC_FOLDER;
}

/* Whether a crash may lose an operation. */
static int is_pending(crash *self, int64_t index) {
    const amalgam_power_record *record = &self->disk->records[index];
    if (record->operation == AMALGAM_POWER_SYNC || record->operation == AMALGAM_POWER_SYNC_FOLDER) return 0;
    int64_t sync =
        is_of_folder(record->operation) ? self->last_folder_sync : self->images[record->file->index].last_sync;
    return index > sync;
}

/* An entry of the folder: the last file that has a name after the crash. */
static void name(crash *self, amalgam_power_file *file, int is_named) {
    for (int index = 0; index < self->disk->file_count; index++) {
        if (strcmp(self->images[index].file->name, file->name) == 0) self->images[index].is_named = 0;
    }
    self->images[file->index].is_named = is_named;
}

static void begin(crash *self) {
    self->images = calloc((size_t)self->disk->file_count + 1, sizeof *self->images);
    if (self->images == 0) abort();
    if (self->behavior == AMALGAM_POWER_ANY) self->behavior = (amalgam_power_behavior)draw(self, AMALGAM_POWER_ANY);
    int64_t last_sync = -1;
    self->last_folder_sync = -1;
    for (amalgam_power_file *file = self->disk->files; file != 0; file = file->next) {
        image *image = &self->images[file->index];
        image->file = file;
        image->last_sync = -1;
        image->is_named = file->is_old;
        image->is_chosen = (int)draw(self, 2);
        resize(self, image, file->size);
        if (file->size > 0) memcpy(image->content, file->content, (size_t)file->size);
    }
    for (int64_t index = 0; index < self->count; index++) {
        const amalgam_power_record *record = &self->disk->records[index];
        if (record->operation == AMALGAM_POWER_SYNC) self->images[record->file->index].last_sync = index;
        if (record->operation == AMALGAM_POWER_SYNC_FOLDER) self->last_folder_sync = index;
        if (record->operation == AMALGAM_POWER_SYNC || record->operation == AMALGAM_POWER_SYNC_FOLDER) last_sync = index;
    }
    if (self->behavior == AMALGAM_POWER_KEEPS_ORDER) {
        /* Whatever is before a sync is on the disk. */
        self->last_folder_sync = last_sync;
        for (int index = 0; index < self->disk->file_count; index++) self->images[index].last_sync = last_sync;
    }
    for (int64_t index = 0; index < self->count; index++) self->pending += is_pending(self, index);
    self->chosen = (int64_t)draw(self, (uint64_t)self->pending + 1);
    self->keeps_others = (int)draw(self, 2);
    self->leaves_garbage = draw(self, 4) == 0;
}

static void replay(crash *self) {
    for (int64_t index = 0; index < self->count; index++) {
        const amalgam_power_record *record = &self->disk->records[index];
        if (record->file == 0 || record->operation == AMALGAM_POWER_SYNC) continue;
        image *image = &self->images[record->file->index];
        fate fate = is_pending(self, index) ? decide(self, image) : KEPT;
        if (is_of_folder(record->operation)) {
            if (fate == KEPT || (fate == TORN && draw(self, 2))) {
                name(self, record->file, record->operation == AMALGAM_POWER_CREATE);
            }
        } else if (fate == KEPT) {
            apply(self, image, record);
        } else if (fate == TORN) {
            tear(self, image, record);
        }
    }
}

static int store(const image *image, const char *folder) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, image->file->name);
    if (length < 0 || (size_t)length >= sizeof path) return ENAMETOOLONG;
    FILE *stream = fopen(path, "wbx");
    if (stream == 0) return errno;
    size_t written = image->size == 0 ? 0 : fwrite(image->content, 1, (size_t)image->size, stream);
    int code = written == (size_t)image->size ? 0 : EIO;
    if (fclose(stream) != 0) code = EIO;
    return code;
}

int amalgam_power_disk_crash(
    amalgam_power_disk *disk, int64_t count, amalgam_power_behavior behavior, uint64_t seed, const char *folder
) {
    amalgam_power_lock();
    crash self = {.disk = disk, .count = count, .behavior = behavior, .random = seed};
    if (self.count > disk->count) self.count = disk->count;
    begin(&self);
    replay(&self);
    int code = 0;
    for (int index = 0; index < disk->file_count; index++) {
        image *image = &self.images[index];
        if (image->is_named && code == 0) code = store(image, folder);
        free(image->content);
    }
    free(self.images);
    amalgam_power_unlock();
    return code;
}

#endif
