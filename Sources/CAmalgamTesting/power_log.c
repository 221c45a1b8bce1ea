/* The disks of the process, and their logs. */
#include "power.h"
#ifdef AMALGAM_POWER_HAVE_SQLITE

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static amalgam_power_disk *disks;

void amalgam_power_lock(void) { pthread_mutex_lock(&mutex); }
void amalgam_power_unlock(void) { pthread_mutex_unlock(&mutex); }

static void *allocated(void *memory) {
    if (memory == 0) abort();
    return memory;
}

/* Adds a file that is in the folder, with its content. No connection has it open. */
static void add_old_file(amalgam_power_disk *disk, const char *name) {
    size_t length = strlen(name);
    if (name[0] == '.' || (length > 4 && strcmp(name + length - 4, "-shm") == 0)) return;
    size_t size = strlen(disk->folder) + length + 1;
    char *path = allocated(malloc(size));
    snprintf(path, size, "%s%s", disk->folder, name);
    amalgam_power_file *file = amalgam_power_file_add(disk, path, 1);
    FILE *stream = allocated(fopen(path, "rb"));
    fseek(stream, 0, SEEK_END);
    file->size = ftell(stream);
    rewind(stream);
    file->content = allocated(malloc((size_t)file->size + 1));
    if (fread(file->content, 1, (size_t)file->size, stream) != (size_t)file->size) abort();
    fclose(stream);
    free(path);
}

static void add_old_files(amalgam_power_disk *disk) {
    DIR *stream = allocated(opendir(disk->folder));
    for (struct dirent *entry = readdir(stream); entry != 0; entry = readdir(stream)) add_old_file(disk, entry->d_name);
    closedir(stream);
}

amalgam_power_disk *amalgam_power_disk_create(const char *folder) {
    amalgam_power_disk *disk = allocated(calloc(1, sizeof *disk));
    size_t length = strlen(folder);
    disk->folder = allocated(malloc(length + 2));
    memcpy(disk->folder, folder, length);
    memcpy(disk->folder + length, "/", 2);
    disk->references = 1;
    add_old_files(disk);
    amalgam_power_lock();
    disk->next = disks;
    disks = disk;
    amalgam_power_unlock();
    return disk;
}

void amalgam_power_disk_free(amalgam_power_disk *disk) {
    amalgam_power_lock();
    amalgam_power_disk **link = &disks;
    while (*link != disk) link = &(*link)->next;
    *link = disk->next;
    amalgam_power_release(disk);
    amalgam_power_unlock();
}

void amalgam_power_retain(amalgam_power_disk *disk) { disk->references++; }

void amalgam_power_release(amalgam_power_disk *disk) {
    if (--disk->references > 0) return;
    for (int64_t index = 0; index < disk->count; index++) free(disk->records[index].content);
    free(disk->records);
    while (disk->files != 0) {
        amalgam_power_file *file = disk->files;
        disk->files = file->next;
        free(file->content);
        free(file->name);
        free(file);
    }
    free(disk->folder);
    free(disk);
}

amalgam_power_disk *amalgam_power_disk_of(const char *path) {
    /* The newest one comes first. */
    for (amalgam_power_disk *disk = disks; disk != 0; disk = disk->next) {
        size_t length = strlen(disk->folder);
        if (strncmp(path, disk->folder, length) == 0 && strchr(path + length, '/') == 0) return disk;
    }
    return 0;
}

amalgam_power_file *amalgam_power_file_named(amalgam_power_disk *disk, const char *path) {
    const char *name = path + strlen(disk->folder);
    amalgam_power_file *file = disk->files;
    while (file != 0 && !(file->exists && strcmp(file->name, name) == 0)) file = file->next;
    return file;
}

amalgam_power_file *amalgam_power_file_add(amalgam_power_disk *disk, const char *path, int is_old) {
    amalgam_power_file *file = allocated(calloc(1, sizeof *file));
    file->index = disk->file_count++;
    file->name = allocated(strdup(path + strlen(disk->folder)));
    file->exists = 1;
    file->is_old = is_old;
    file->next = disk->files;
    disk->files = file;
    if (!is_old) amalgam_power_log(disk, AMALGAM_POWER_CREATE, file, 0, 0, 0);
    return file;
}

void amalgam_power_log(
    amalgam_power_disk *disk, amalgam_power_operation operation, amalgam_power_file *file, const void *content,
    int64_t size, int64_t offset
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
    disk->records[disk->count++] = (amalgam_power_record){operation, file, offset, size, copy};
}

int amalgam_power_counts_sync(amalgam_power_disk *disk) { return ++disk->syncs != disk->dropped_sync; }

int64_t amalgam_power_disk_count(amalgam_power_disk *disk) {
    amalgam_power_lock();
    int64_t count = disk->count;
    amalgam_power_unlock();
    return count;
}

amalgam_power_entry amalgam_power_disk_entry(amalgam_power_disk *disk, int64_t index) {
    amalgam_power_lock();
    amalgam_power_record *record = &disk->records[index];
    amalgam_power_entry entry = {record->operation, record->file ? record->file->name : "", record->offset, record->size};
    amalgam_power_unlock();
    return entry;
}

int64_t amalgam_power_disk_syncs(amalgam_power_disk *disk) {
    amalgam_power_lock();
    int64_t syncs = disk->syncs;
    amalgam_power_unlock();
    return syncs;
}

void amalgam_power_disk_drop_sync(amalgam_power_disk *disk, int64_t n) {
    amalgam_power_lock();
    disk->dropped_sync = n;
    amalgam_power_unlock();
}

uint64_t amalgam_power_hash(uint64_t hash, const void *bytes, int64_t size) {
    for (int64_t index = 0; index < size; index++) {
        hash = (hash ^ ((const unsigned char *)bytes)[index]) * 0x00000100000001b3u;
    }
    return hash;
}

#endif
