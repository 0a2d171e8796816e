// SPDX-License-Identifier: Apache-2.0
// Lines are held until the end, since the header, which stands first, says what was seen in the
// run; bytes of tensors go to the disk at once.

#include "harness/host/record/form.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/bytes.h"

enum { TABLE_FIRST = 256, FILES_MAX = 4 };

// Where bytes of a digest lie. A table with open addressing, a power of two, at most half full.
struct kept {
    bool used;
    unsigned char digest[DIGEST_SIZE];
    uint64_t at;
};

struct form_writer {
    char folder[FORM_PATH_SIZE], part[FORM_PATH_SIZE]; // where it will be, where it is until then
    char file[FILES_MAX][64];                          // in the folder
    unsigned file_count;
    const char *name;
    FILE *data;
    uint64_t size, count;
    struct digest all;
    struct text lines;
    struct kept *kept;
    size_t kept_count, kept_room;
    void *bytes; // of one tensor, little-endian
    size_t bytes_room;
    enum error error;
    struct diagnostic diagnostic;
};

static bool is_taken(const char *folder)
{
    DIR *const at = opendir(folder);
    const struct dirent *entry;
    bool taken = at ? false : errno != ENOENT;
    while (at && !taken && (entry = readdir(at)))
        taken = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (at)
        closedir(at);
    return taken;
}

static enum error cannot_write(const char *path, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot write %.400s: %s", path,
                           strerror(errno));
}

static FILE *make_file(struct form_writer *writer, const char *name, char path[FORM_PATH_SIZE])
{
    assert(writer->file_count < FILES_MAX);
    char *const kept = writer->file[writer->file_count];
    snprintf(kept, sizeof writer->file[0], "%s", name);
    if (snprintf(path, FORM_PATH_SIZE, "%s/%s", writer->part, kept) >= FORM_PATH_SIZE) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    FILE *const file = fopen(path, "wxe");
    writer->file_count += file != NULL;
    return file;
}

enum error form_begin(const char *folder, const char *name, struct form_writer **writer,
                      struct diagnostic *diagnostic)
{
    char path[FORM_PATH_SIZE], file[64];
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    *writer = NULL;
    if (is_taken(folder))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s is there already; name a folder that is not, or is empty",
                               folder);
    if (!length || length > FORM_PATH_SIZE - 80)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "'%.40s' is no name for a folder", folder);
    struct form_writer *const made = calloc(1, sizeof *made);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    made->name = name;
    snprintf(made->folder, sizeof made->folder, "%.*s", (int)length, folder);
    snprintf(made->part, sizeof made->part, "%.*s.XXXXXX", (int)length, folder);
    snprintf(file, sizeof file, "%s.data", name);
    enum error error = ERROR_NONE;
    if (!mkdtemp(made->part)) {
        error = cannot_write(made->part, diagnostic);
        made->part[0] = '\0';
    }
    if (!error && !(made->data = make_file(made, file, path)))
        error = cannot_write(path, diagnostic);
    if (!error)
        error = digest_begin(&made->all, diagnostic);
    if (error)
        form_release(made);
    else
        *writer = made;
    return error;
}

void form_fail(struct form_writer *writer, enum error error, const struct diagnostic *diagnostic)
{
    if (!error || writer->error)
        return;
    writer->error = error;
    writer->diagnostic = *diagnostic;
}

static struct kept *find_kept(struct kept *table, size_t room, const unsigned char *digest)
{
    uint64_t start;
    memcpy(&start, digest, sizeof start);
    size_t at = (size_t)start & (room - 1);
    while (table[at].used && memcmp(table[at].digest, digest, DIGEST_SIZE) != 0)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static bool grow_table(struct form_writer *writer)
{
    if (writer->kept && 2 * (writer->kept_count + 1) <= writer->kept_room)
        return true;
    const size_t room = writer->kept ? 2 * writer->kept_room : TABLE_FIRST;
    struct kept *const table = calloc(room, sizeof *table);
    for (size_t i = 0; table && i < writer->kept_room; i++)
        if (writer->kept[i].used)
            *find_kept(table, room, writer->kept[i].digest) = writer->kept[i];
    if (!table)
        return false;
    free(writer->kept);
    writer->kept = table;
    writer->kept_room = room;
    return true;
}

// Where these bytes lie among the data, after they were added if they were not there.
static enum error keep_bytes(struct form_writer *writer, const void *bytes, size_t size,
                             const unsigned char digest[DIGEST_SIZE], uint64_t *at,
                             struct diagnostic *diagnostic)
{
    if (!grow_table(writer))
        return diagnostic_no_memory(diagnostic);
    struct kept *const kept = find_kept(writer->kept, writer->kept_room, digest);
    if (!kept->used) {
        *kept = (struct kept){.used = true, .at = writer->size};
        memcpy(kept->digest, digest, DIGEST_SIZE);
        writer->kept_count++;
        if (size && fwrite(bytes, 1, size, writer->data) != size)
            return cannot_write(writer->part, diagnostic);
        writer->size += size;
        const enum error error = digest_add(&writer->all, bytes, size, diagnostic);
        if (error)
            return error;
    }
    *at = kept->at;
    return ERROR_NONE;
}

static enum error put_tensor(struct form_writer *writer, struct text *text,
                             const struct tensor *like, uint64_t count, const void *data,
                             struct diagnostic *diagnostic)
{
    const size_t element = dtype_size(like->dtype), size = (size_t)count * element;
    unsigned char digest[DIGEST_SIZE];
    uint64_t at = 0;
    if (size > writer->bytes_room) {
        free(writer->bytes);
        writer->bytes = malloc(size);
        writer->bytes_room = writer->bytes ? size : 0;
        if (!writer->bytes)
            return diagnostic_no_memory(diagnostic);
    }
    if (size)
        bytes_copy_little_endian(writer->bytes, data, element, (size_t)count);
    const void *const bytes = size ? writer->bytes : "";
    enum error error = digest_of(bytes, size, digest, diagnostic);
    if (!error)
        error = keep_bytes(writer, bytes, size, digest, &at, diagnostic);
    if (error)
        return error;
    uint64_t whole = 0;
    tensor_put_type(like, text);
    if (!tensor_count(like, &whole) || whole != count)
        json_put_unsigned_at(text, "window", count);
    json_put_unsigned_at(text, "at", at);
    json_put_digest_at(text, "sha256", digest);
    return ERROR_NONE;
}

void form_put_tensor(struct form_writer *writer, struct text *text, const struct tensor *like,
                     uint64_t count, const void *data)
{
    struct diagnostic diagnostic;
    if (!writer->error)
        form_fail(writer, put_tensor(writer, text, like, count, data, &diagnostic), &diagnostic);
}

// Ends the object in `text`, without the newline.
static enum error seal(struct text *text, struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    if (text->failed)
        return diagnostic_no_memory(diagnostic);
    const enum error error = digest_of(text->bytes, text->size, digest, diagnostic);
    json_put_digest_at(text, "sha256", digest);
    json_end_object(text);
    text_put(text, "\n");
    return error;
}

void form_put_line(struct form_writer *writer, struct text *text)
{
    struct diagnostic diagnostic;
    if (!writer->error)
        form_fail(writer, seal(text, &diagnostic), &diagnostic);
    text_put_bytes(&writer->lines, text->bytes, text->size);
    writer->count++;
    text_clear(text);
    text->comma = false;
}

uint64_t form_lines(const struct form_writer *writer)
{
    return writer->count;
}

uint64_t form_bytes(const struct form_writer *writer)
{
    return writer->size;
}

static enum error put_footer(struct form_writer *writer, const struct text *head, struct text *foot,
                             struct diagnostic *diagnostic)
{
    struct digest lines;
    unsigned char digest[DIGEST_SIZE], data[DIGEST_SIZE];
    enum error error = digest_begin(&lines, diagnostic);
    if (!error)
        error = digest_add(&lines, head->bytes, head->size, diagnostic);
    if (!error && writer->lines.size)
        error = digest_add(&lines, writer->lines.bytes, writer->lines.size, diagnostic);
    if (!error)
        error = digest_end(&lines, digest, diagnostic);
    if (!error)
        error = digest_end(&writer->all, data, diagnostic);
    if (error)
        return error;
    json_begin_object(foot);
    json_put_pair(foot, "record", "footer");
    json_put_unsigned_at(foot, "lines", writer->count);
    json_put_digest_at(foot, "lines_sha256", digest);
    json_put_unsigned_at(foot, "bytes", writer->size);
    json_put_digest_at(foot, "data_sha256", data);
    return seal(foot, diagnostic);
}

static enum error write_all(struct form_writer *writer, const char *name,
                            const struct text *const *texts, unsigned count,
                            struct diagnostic *diagnostic)
{
    char path[FORM_PATH_SIZE];
    FILE *const file = make_file(writer, name, path);
    bool good = file != NULL;
    for (unsigned i = 0; i < count && good; i++)
        good =
            !texts[i]->size || fwrite(texts[i]->bytes, 1, texts[i]->size, file) == texts[i]->size;
    good = good && !fflush(file) && !fsync(fileno(file));
    const enum error error = good ? ERROR_NONE : cannot_write(path, diagnostic);
    if (file)
        fclose(file);
    return error;
}

enum error form_close(struct form_writer *writer, struct text *header, char sha256[DIGEST_HEX_SIZE],
                      struct diagnostic *diagnostic)
{
    struct text foot = {0};
    char file[64];
    enum error error = writer->error;
    if (error)
        *diagnostic = writer->diagnostic;
    if (!error)
        error = seal(header, diagnostic);
    if (!error)
        error = put_footer(writer, header, &foot, diagnostic);
    if (!error && (writer->lines.failed || foot.failed || header->failed))
        error = diagnostic_no_memory(diagnostic);
    if (!error && (fflush(writer->data) || fsync(fileno(writer->data))))
        error = cannot_write(writer->part, diagnostic);
    snprintf(file, sizeof file, "%s.jsonl", writer->name);
    const struct text *const texts[] = {header, &writer->lines, &foot};
    if (!error)
        error = write_all(writer, file, texts, 3, diagnostic);
    struct digest whole;
    unsigned char digest[DIGEST_SIZE];
    for (unsigned i = 0; i <= 3 && !error; i++)
        error = i == 0 ? digest_begin(&whole, diagnostic)
                : texts[i - 1]->size
                    ? digest_add(&whole, texts[i - 1]->bytes, texts[i - 1]->size, diagnostic)
                    : ERROR_NONE;
    if (!error)
        error = digest_end(&whole, digest, diagnostic);
    if (!error)
        digest_write_hex(digest, sha256);
    text_release(&foot);
    return error;
}

enum error form_add_file(struct form_writer *writer, const char *name, const char *bytes,
                         size_t size, struct diagnostic *diagnostic)
{
    struct text text = {0};
    text_put_bytes(&text, bytes, size);
    const struct text *const texts[] = {&text};
    const enum error error = text.failed ? diagnostic_no_memory(diagnostic)
                                         : write_all(writer, name, texts, 1, diagnostic);
    text_release(&text);
    return error;
}

enum error form_commit(struct form_writer *writer, struct diagnostic *diagnostic)
{
    enum { READABLE = 0755 };
    if (chmod(writer->part, READABLE) || rename(writer->part, writer->folder))
        return cannot_write(writer->folder, diagnostic);
    writer->part[0] = '\0';
    return ERROR_NONE;
}

void form_release(struct form_writer *writer)
{
    char path[FORM_PATH_SIZE];
    if (!writer)
        return;
    if (writer->data)
        fclose(writer->data);
    for (unsigned i = 0; writer->part[0] && i < writer->file_count; i++)
        if (snprintf(path, sizeof path, "%s/%s", writer->part, writer->file[i]) < (int)sizeof path)
            unlink(path);
    if (writer->part[0])
        rmdir(writer->part);
    text_release(&writer->lines);
    free(writer->kept);
    free(writer->bytes);
    free(writer);
}
