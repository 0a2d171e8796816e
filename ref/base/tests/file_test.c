// SPDX-License-Identifier: Apache-2.0
// Files replaced whole, and digests against the examples of FIPS 180-4.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "ref/base/digest.h"
#include "ref/base/file.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/assay-file-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void a_committed_file_is_read_back_and_leaves_nothing_beside_it(void **state)
{
    (void)state;
    struct diagnostic d;
    struct arena arena = {0};
    struct document_source source;
    char path[128];
    snprintf(path, sizeof path, "%s/a", folder);
    // Longer than the buffer, so that it is flushed on the way.
    const size_t size = 700001;
    char *const text = malloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(i * 7);
    assert_int_equal(file_replace_with(path, text, size, &d), ERROR_NONE);
    assert_int_equal(file_read(path, &arena, &source, &d), ERROR_NONE);
    assert_int_equal(source.size, size);
    assert_memory_equal(source.text, text, size);
    free(text);
    arena_release(&arena);
    unlink(path); // rmdir at the end fails if anything else is left
}

static void a_link_stays_and_leads_to_the_new_bytes(void **state)
{
    (void)state;
    struct diagnostic d;
    struct stat status;
    char file[128], link[128], text[8] = "";
    snprintf(file, sizeof file, "%s/a", folder);
    snprintf(link, sizeof link, "%s/b", folder);
    assert_int_equal(file_replace_with(file, "old", 3, &d), ERROR_NONE);
    assert_int_equal(symlink("a", link), 0);
    assert_int_equal(file_replace_with(link, "new", 3, &d), ERROR_NONE);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    FILE *const stream = fopen(file, "r");
    assert_int_equal(fread(text, 1, sizeof text, stream), 3);
    assert_string_equal(text, "new");
    fclose(stream);
    unlink(link);
    unlink(file);
}

// As root, a rename would put a file in the place of /dev/null.
static void a_pipe_is_written_to_and_not_replaced(void **state)
{
    (void)state;
    struct diagnostic d;
    struct stat status;
    char path[128], text[8] = "";
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(file_replace_with(path, "new", 3, &d), ERROR_NONE);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(read(reader, text, sizeof text), 3);
    assert_string_equal(text, "new");
    close(reader);
    unlink(path);
}

static void a_folder_is_not_replaced(void **state)
{
    (void)state;
    struct diagnostic d;
    assert_int_equal(file_replace_with(folder, "new", 3, &d), ERROR_SYSTEM);
    assert_non_null(strstr(d.text, "it is a folder"));
}

static void an_abandoned_file_leaves_the_old_bytes(void **state)
{
    (void)state;
    struct diagnostic d;
    struct arena arena = {0};
    struct document_source source;
    struct file_replacement file;
    char path[128];
    snprintf(path, sizeof path, "%s/b", folder);
    assert_int_equal(file_replace_with(path, "old", 3, &d), ERROR_NONE);
    assert_int_equal(file_replace(&file, path, &d), ERROR_NONE);
    assert_int_equal(file_put(&file, "new", 3, &d), ERROR_NONE);
    file_abandon(&file);
    file_abandon(&file);
    assert_int_equal(file_read(path, &arena, &source, &d), ERROR_NONE);
    assert_int_equal(source.size, 3);
    assert_memory_equal(source.text, "old", 3);
    arena_release(&arena);
    unlink(path);
}

static void what_cannot_be_opened_says_why(void **state)
{
    (void)state;
    struct diagnostic d;
    struct arena arena = {0};
    struct document_source source;
    struct file_replacement file;
    assert_int_equal(file_read("/nowhere/x", &arena, &source, &d), ERROR_INPUT);
    assert_string_equal(d.text, "cannot open /nowhere/x: No such file or directory");
    assert_int_equal(file_read("/tmp", &arena, &source, &d), ERROR_INPUT);
    assert_string_equal(d.text, "/tmp is a folder; expected a file");
    assert_int_equal(file_replace(&file, "/nowhere/x", &d), ERROR_SYSTEM);
    assert_non_null(strstr(d.text, "No such file or directory"));
    arena_release(&arena);
}

// FIPS 180-4 examples: "abc", and a million times "a".
static void published_digests(void **state)
{
    (void)state;
    struct diagnostic d;
    unsigned char result[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    assert_int_equal(digest_of("abc", 3, result, &d), ERROR_NONE);
    digest_write_hex(result, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    struct digest digest = {0};
    for (int again = 0; again < 2; again++) {
        assert_int_equal(digest_begin(&digest, &d), ERROR_NONE);
        for (int i = 0; i < 10000; i++) {
            char part[100];
            memset(part, 'a', sizeof part);
            assert_int_equal(digest_add(&digest, part, sizeof part, &d), ERROR_NONE);
        }
        assert_int_equal(digest_end(&digest, result, &d), ERROR_NONE);
        digest_write_hex(result, hex);
        assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_committed_file_is_read_back_and_leaves_nothing_beside_it),
        cmocka_unit_test(a_link_stays_and_leads_to_the_new_bytes),
        cmocka_unit_test(a_pipe_is_written_to_and_not_replaced),
        cmocka_unit_test(a_folder_is_not_replaced),
        cmocka_unit_test(an_abandoned_file_leaves_the_old_bytes),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(published_digests),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
