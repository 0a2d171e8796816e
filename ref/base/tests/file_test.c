// SPDX-License-Identifier: Apache-2.0
// Files replaced whole, and digests against the examples of FIPS 180-4.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/leftover.h"

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

static size_t count_parts(void)
{
    size_t count = 0;
    DIR *const directory = opendir(folder);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += strstr(entry->d_name, ".part") != NULL;
    closedir(directory);
    return count;
}

// A child that writes and is killed, or waits to be.
static pid_t write_in_child(const char *path, int ready[2])
{
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (!child) {
        alarm(600);
        struct file_replacement file;
        const char made = !file_replace(&file, path, NULL);
        if (write(ready[1], &made, 1) == 1)
            pause();
        _exit(1);
    }
    char made = 0;
    close(ready[1]);
    assert_int_equal(read(ready[0], &made, 1), 1);
    assert_true(made);
    return child;
}

static void a_killed_writer_leaves_what_the_next_one_removes_and_a_living_one_keeps_its_own(
    void **state)
{
    (void)state;
    struct diagnostic d;
    char path[128], other[140];
    int ready[2][2];
    snprintf(path, sizeof path, "%s/c", folder);
    snprintf(other, sizeof other, "%s/c.0123456789abcdef.part",
             folder); // another kernel's, just written
    const pid_t dead = write_in_child(path, ready[0]);
    kill(dead, SIGKILL);
    assert_int_equal(waitpid(dead, NULL, 0), dead);
    assert_int_equal(count_parts(), 1);
    const pid_t living = write_in_child(path, ready[1]);
    assert_int_equal(count_parts(), 1); // its own: that of the killed one is gone
    assert_int_equal(close(open(other, O_WRONLY | O_CREAT, 0600)), 0);
    assert_int_equal(file_replace_with(path, "new", 3, &d), ERROR_NONE);
    assert_int_equal(count_parts(), 2);
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, other, old, 0), 0);
    assert_int_equal(file_replace_with(path, "new", 3, &d), ERROR_NONE);
    assert_int_equal(count_parts(), 0);
    close(ready[0][0]);
    close(ready[1][0]);
    unlink(path);
}

// Processes of two containers may have one number; here it is one process that writes the same file
// twice at a time.
static void two_writers_of_one_file_do_not_share_a_name(void **state)
{
    (void)state;
    struct diagnostic d;
    struct arena arena = {0};
    struct document_source source;
    struct file_replacement one, two;
    char path[128];
    snprintf(path, sizeof path, "%s/d", folder);
    assert_int_equal(file_replace(&one, path, &d), ERROR_NONE);
    assert_int_equal(file_replace(&two, path, &d), ERROR_NONE);
    assert_int_equal(file_put(&one, "one", 3, &d), ERROR_NONE);
    assert_int_equal(file_put(&two, "two", 3, &d), ERROR_NONE);
    assert_int_equal(file_commit(&two, &d), ERROR_NONE);
    assert_int_equal(file_commit(&one, &d), ERROR_NONE);
    assert_int_equal(file_make_with(path, "three", 5, &d),
                     ERROR_NONE); // it is there: left as it is
    assert_int_equal(file_read(path, &arena, &source, &d), ERROR_NONE);
    assert_int_equal(source.size, 3);
    assert_memory_equal(source.text, "one", 3);
    arena_release(&arena);
    unlink(path);
}

static void a_folder_of_a_killed_process_is_removed_by_the_next_that_needs_one(void **state)
{
    (void)state;
    struct diagnostic d;
    struct leftover_folder next;
    char first[PATH_MAX] = "", inside[PATH_MAX + 8];
    int ready[2];
    setenv("TMPDIR", folder, 1);
    for (int number = SIGTERM;; number = SIGKILL) {
        assert_int_equal(pipe(ready), 0);
        const pid_t child = fork();
        if (!child) {
            alarm(600);
            struct leftover_folder made;
            leftover_remove_on_signals();
            if (leftover_make_folder(&made, NULL) ||
                write(ready[1], made.path, sizeof made.path) < 0)
                _exit(1);
            for (;;)
                pause();
        }
        close(ready[1]);
        assert_int_equal(read(ready[0], first, sizeof first), sizeof first);
        close(ready[0]);
        snprintf(inside, sizeof inside, "%s/x", first);
        assert_int_equal(close(open(inside, O_WRONLY | O_CREAT, 0600)), 0);
        assert_int_equal(leftover_make_folder(&next, &d),
                         ERROR_NONE); // which leaves that of the living one alone
        assert_int_equal(access(inside, F_OK), 0);
        leftover_remove_folder(&next);
        int status = 0;
        kill(child, number);
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
        assert_int_equal(access(first, F_OK), number == SIGTERM ? -1 : 0);
        if (number == SIGKILL)
            break;
    }
    assert_int_equal(leftover_make_folder(&next, &d), ERROR_NONE);
    assert_int_equal(access(first, F_OK), -1);
    leftover_remove_folder(&next);
    assert_int_equal(access(next.path, F_OK), -1);
    unsetenv("TMPDIR");
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
        assert_string_equal(hex,
                            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

// The digest of a large file is kept. A change that leaves size and time of writing alone is seen.
static void a_large_file_that_changed_is_digested_again(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    static unsigned char bytes[SIZE];
    char path[96], expected[DIGEST_HEX_SIZE], got[DIGEST_HEX_SIZE];
    struct diagnostic d;
    struct stat written;
    snprintf(path, sizeof path, "%s/large", folder);
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(pwrite(fd, bytes, SIZE, 0), SIZE);
    assert_int_equal(fstat(fd, &written), 0);
    sleep(3); // until it is old enough to be kept
    for (unsigned char version = 0; version < 3; version++) {
        unsigned char digest[DIGEST_SIZE];
        if (version) {
            const struct timespec times[2] = {written.st_atim, written.st_mtim};
            bytes[SIZE / 2] = version;
            assert_int_equal(pwrite(fd, bytes, SIZE, 0), SIZE);
            assert_int_equal(futimens(fd, times), 0);
        }
        assert_int_equal(digest_of(bytes, SIZE, digest, &d), ERROR_NONE);
        digest_write_hex(digest, expected);
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(digest_path(path, got, &d), ERROR_NONE);
            assert_string_equal(got, expected);
        }
    }
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_committed_file_is_read_back_and_leaves_nothing_beside_it),
        cmocka_unit_test(a_link_stays_and_leads_to_the_new_bytes),
        cmocka_unit_test(a_pipe_is_written_to_and_not_replaced),
        cmocka_unit_test(a_folder_is_not_replaced),
        cmocka_unit_test(an_abandoned_file_leaves_the_old_bytes),
        cmocka_unit_test(
            a_killed_writer_leaves_what_the_next_one_removes_and_a_living_one_keeps_its_own),
        cmocka_unit_test(two_writers_of_one_file_do_not_share_a_name),
        cmocka_unit_test(a_folder_of_a_killed_process_is_removed_by_the_next_that_needs_one),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(published_digests),
        cmocka_unit_test(a_large_file_that_changed_is_digested_again),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
