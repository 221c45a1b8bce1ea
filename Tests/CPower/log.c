/* The disks of the process, and their logs. */
#include "power.h"
#ifdef AMALGAM_POWER_HAVE_SQLITE

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static power_disk *disks;

void power_lock(void) { pthread_mutex_lock(&mutex); }
void power_unlock(void) { pthread_mutex_unlock(&mutex); }

static void *allocated(void *memory) {
    if (memory == 0) abort();
    return memory;
}

/* Adds a file that is in the folder, with its content. No connection has it open. */
static void add_old_file(power_disk *disk, const char *name) {
    size_t length = strlen(name);
    if (name[0] == '.' || (length > 4 && strcmp(name + length - 4, "-shm") == 0)) return;
    size_t size = strlen(disk->folder) + length + 1;
    char *path = allocated(malloc(size));
    snprintf(path, size, "%s%s", disk->folder, name);
    power_file *file = power_file_add(disk, path, 1);
    FILE *stream = allocated(fopen(path, "rb"));
    fseek(stream, 0, SEEK_END);
    file->size = ftell(stream);
    rewind(stream);
    file->content = allocated(malloc((size_t)file->size + 1));
    if (fread(file->content, 1, (size_t)file->size, stream) != (size_t)file->size) abort();
    fclose(stream);
    free(path);
}

static void add_old_files(power_disk *disk) {
    DIR *stream = allocated(opendir(disk->folder));
    for (struct dirent *entry = readdir(stream); entry != 0; entry = readdir(stream)) add_old_file(disk, entry->d_name);
    closedir(stream);
}

power_disk *power_disk_create(const char *folder) {
    power_disk *disk = allocated(calloc(1, sizeof *disk));
    size_t length = strlen(folder);
    disk->folder = allocated(malloc(length + 2));
    memcpy(disk->folder, folder, length);
    memcpy(disk->folder + length, "/", 2);
    add_old_files(disk);
    power_lock();
    disk->next = disks;
    disks = disk;
    power_unlock();
    return disk;
}

void power_disk_free(power_disk *disk) {
    power_lock();
    power_disk **link = &disks;
    while (*link != disk) link = &(*link)->next;
    *link = disk->next;
    power_unlock();
    for (int64_t index = 0; index < disk->count; index++) free(disk->records[index].content);
    free(disk->records);
    while (disk->files != 0) {
        power_file *file = disk->files;
        disk->files = file->next;
        free(file->content);
        free(file->name);
        free(file);
    }
    free(disk->folder);
    free(disk);
}

power_disk *power_disk_of(const char *path) {
    /* The newest one comes first. */
    for (power_disk *disk = disks; disk != 0; disk = disk->next) {
        size_t length = strlen(disk->folder);
        if (strncmp(path, disk->folder, length) == 0 && strchr(path + length, '/') == 0) return disk;
    }
    return 0;
}

power_file *power_file_named(power_disk *disk, const char *path) {
    const char *name = path + strlen(disk->folder);
    power_file *file = disk->files;
    while (file != 0 && !(file->exists && strcmp(file->name, name) == 0)) file = file->next;
    return file;
}

power_file *power_file_add(power_disk *disk, const char *path, int is_old) {
    power_file *file = allocated(calloc(1, sizeof *file));
    file->index = disk->file_count++;
    file->name = allocated(strdup(path + strlen(disk->folder)));
    file->exists = 1;
    file->is_old = is_old;
    file->next = disk->files;
    disk->files = file;
    if (!is_old) power_log(disk, POWER_CREATE, file, 0, 0, 0);
    return file;
}

void power_log(
    power_disk *disk, power_operation operation, power_file *file, const void *content, int64_t size, int64_t offset
) {
    if (disk->count == disk->capacity) {
        disk->capacity = disk->capacity == 0 ? 256 : disk->capacity * 2;
        disk->records = allocated(realloc(disk->records, (size_t)disk->capacity * sizeof *disk->records));
    }
    unsigned char *copy = 0;
    if (content != 0) {
        copy = allocated(malloc((size_t)size + 1));
        memcpy(copy, content, (size_t)size);
    }
    disk->records[disk->count++] = (power_record){operation, file, offset, size, copy};
}

int power_counts_sync(power_disk *disk) { return ++disk->syncs != disk->dropped_sync; }

int64_t power_disk_count(power_disk *disk) {
    power_lock();
    int64_t count = disk->count;
    power_unlock();
    return count;
}

power_entry power_disk_entry(power_disk *disk, int64_t index) {
    power_lock();
    power_record *record = &disk->records[index];
    power_entry entry = {record->operation, record->file ? record->file->name : "", record->offset, record->size};
    power_unlock();
    return entry;
}

int64_t power_disk_syncs(power_disk *disk) {
    power_lock();
    int64_t syncs = disk->syncs;
    power_unlock();
    return syncs;
}

void power_disk_drop_sync(power_disk *disk, int64_t n) {
    power_lock();
    disk->dropped_sync = n;
    power_unlock();
}

uint64_t power_hash(uint64_t hash, const void *bytes, int64_t size) {
    for (int64_t index = 0; index < size; index++) {
        hash = (hash ^ ((const unsigned char *)bytes)[index]) * 0x00000100000001b3u;
    }
    return hash;
}

#endif
