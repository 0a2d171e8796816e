# SPDX-License-Identifier: Apache-2.0
"""All code that decides is named in a certificate: what is loaded for one call alone, what lies
beside a script, what a child runs, what assay is linked with, and the links that lead there.
Replaced afterwards, it no longer holds. TAP."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
# The plugin's own code is all in a library that is mapped while a call runs, and at no other time.
FOR_A_CALL = """#define _GNU_SOURCE
#include "harness/plugin.h"
#include <dlfcn.h>
#include <stddef.h>
typedef const struct assay_plugin *(*entry)(void);
static const struct assay_plugin *find(void **library)
{
    *library = dlopen("INNER", RTLD_NOW | RTLD_LOCAL);
    return ((entry)dlsym(*library, "assay_plugin_entry"))();
}
static enum assay_status own_supports(struct assay_session *session,
                                      const struct assay_request *request,
                                      struct assay_message *message)
{
    void *library;
    const enum assay_status status = find(&library)->supports(session, request, message);
    dlclose(library);
    return status;
}
static enum assay_status own_prepare(struct assay_session *session,
                                     const struct assay_request *request,
                                     struct assay_instance **instance,
                                     struct assay_message *message)
{
    (void)session, (void)request, (void)message;
    *instance = (struct assay_instance *)&find;
    return ASSAY_OK;
}
static enum assay_status own_run(struct assay_instance *instance,
                                 const struct assay_request *request,
                                 struct assay_message *message)
{
    void *library;
    struct assay_instance *inner = NULL;
    (void)instance;
    const struct assay_plugin *const plugin = find(&library);
    enum assay_status status = plugin->prepare(NULL, request, &inner, message);
    if (status == ASSAY_OK)
        status = plugin->run(inner, request, message);
    if (inner)
        plugin->release(inner);
    dlclose(library);
    return status;
}
static void own_release(struct assay_instance *instance) { (void)instance; }
static enum assay_status own_open(struct assay_session **session, struct assay_message *message)
{
    (void)message;
    *session = NULL;
    return ASSAY_OK;
}
static void own_close(struct assay_session *session) { (void)session; }
static const char *own_version(struct assay_session *session) { (void)session; return "1"; }
const struct assay_plugin *assay_plugin_entry(void);
const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin own;
    static const char *const feeds[] = {"tensor"};
    void *library;
    own = (struct assay_plugin){.abi_version = 1, .size = sizeof own, .name = "call",
                                .feed_count = 1, .feeds = feeds, .open = own_open,
                                .supports = own_supports, .prepare = own_prepare, .run = own_run,
                                .release = own_release, .close = own_close,
                                .version = own_version};
    (void)library;
    return &own;
}
"""
SCRIPT = """
import subprocess
import beside
rounds = subprocess.run([sys.argv[0] + ".child"], capture_output=True, text=True).stdout
KEY = json.load(open(sys.argv[0] + ".json"))


def supports(asked):
    counter = asked["inputs"]["counter"]
    fits = counter["shape"] == [2] and counter["dtype"] == "u32"
    fits = fits and asked["attributes"].get("rounds", "10") in (10, "10")
    return {"supported": True} if fits else {"unsupported": "another form"}


def run(request):
    counter, key = ([int(x, 16) for x in request["inputs"][name]["bits"]]
                    for name in ("counter", "key"))
    return ("output", "u32", [2],
            struct.pack("<2I", *beside.block(counter, key, int(rounds), KEY)))
"""
BESIDE = """def block(counter, key, rounds, constants):
    for _ in range(rounds):
        product = constants[0] * counter[0]
        counter = [product >> 32 ^ key[0] ^ counter[1], product & 0xFFFFFFFF]
        key = [key[0] + constants[1] & 0xFFFFFFFF]
    return counter
"""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def subjects(path):
    with open(path) as file:
        return {subject["name"] for subject in json.loads(
            base64.b64decode(json.loads(file.readline())["payload"]))["subject"]}


with tempfile.TemporaryDirectory() as folder:
    at = given.files(folder)
    given.keys(folder)

    def certify(name, *target):
        done = run(ASSAY, "certify", *target, "--suite", "philox", "--quiet", "--no-explain",
                   "--out", at(name + ".jsonl"), "--sign", at("key.pem"))
        check("\ncertificate: " in "\n" + done.stdout, f"{name}: certified",
              done.stdout + done.stderr)
        return done

    def verify(name, *target):
        return run(ASSAY, "verify", "--key", at("key.pub"), *target,
                   at(name + ".certificate.jsonl"))

    def replace(name, path, subject, *target):
        """A file that is another one afterwards: the certificate no longer holds."""
        done = verify(name, *target)
        check(done.returncode == 0, f"{name}: the certificate holds", done.stdout + done.stderr)
        with open(path, "ab") as file:
            file.write(b"\n")
        done = verify(name, *target)
        check(done.returncode == 1 and f"CHANGED   library/{subject}" in done.stdout,
              f"{name}: not with another {subject}", done.stdout + done.stderr)
        with open(path, "rb+") as file:
            file.truncate(os.path.getsize(path) - 1)

    # ---- a library that is loaded for each call --------------------------------------------------
    shutil.copy(os.path.join(BUILD, "targets", "random123.so"), at("inner.so"))
    at("call.c", FOR_A_CALL.replace("INNER", at("inner.so")))
    done = run("cc", "-shared", "-fPIC", "-I.", "-o", at("call.so"), at("call.c"))
    assert done.returncode == 0, done.stderr
    certify("call", "--plugin", at("call.so"))
    replace("call", at("inner.so"), "inner.so", "--plugin", at("call.so"))
    named = subjects(at("call.certificate.jsonl"))
    linked = {line.split()[2] for line in run("ldd", ASSAY).stdout.splitlines() if "=> /" in line}
    missing = [path for path in linked if "library/" + os.path.realpath(path) not in named]
    check(linked and not missing, "what assay is linked with is named too", missing)

    # ---- links on the way to it, and ways round the watch ----------------------------------------
    def plugin(name, inner, opening=""):
        at(name + ".c", FOR_A_CALL.replace("INNER", inner).replace("*session = NULL;", opening
                                                                  + "*session = NULL;"))
        done = run("cc", "-shared", "-fPIC", "-I.", "-o", at(name + ".so"), at(name + ".c"))
        assert done.returncode == 0, done.stderr
        certify(name, "--plugin", at(name + ".so"))

    def turn(name, link, leads, plain):
        os.remove(at(link))
        os.symlink(leads, at(link))
        done = verify(name, "--plugin", at(name + ".so"))
        check(done.returncode == 1 and f"CHANGED   library/{link}@" in done.stdout,
              f"{name}: not where {link} leads elsewhere", done.stdout + done.stderr)
        os.remove(at(link))
        os.symlink(plain, at(link))
        check(verify(name, "--plugin", at(name + ".so")).returncode == 0, f"{name}: as it was")

    os.mkdir(at("one"))
    os.mkdir(at("two"))
    for where in ("one", "two"):
        shutil.copy(at("inner.so"), at(where + "/inner.so.1"))
        shutil.copy(at("inner.so"), at(where + "/inner.so.2"))
    os.symlink("one", at("current"))
    os.symlink("inner.so.1", at("one/inner.so"))
    plugin("links", at("current/inner.so"))
    turn("links", "current", "two", "one")
    turn("links", "one/inner.so", "inner.so.2", "inner.so.1")
    plugin("root", "/proc/self/root" + at("inner.so"))
    replace("root", at("inner.so"), "inner.so", "--plugin", at("root.so"))
    OTHER = ("#include <sys/syscall.h>\n#include <unistd.h>\n", "")
    for name, opening in (("ring", "extern long syscall(long, ...); char p[120] = {0}; "
                                   "syscall(425, 4, p);"),
                          ("handle", "extern long syscall(long, ...); syscall("
                                     "HANDLE, -1, 0, 0);")):
        plugin(name, at("inner.so"), opening.replace("HANDLE", {"x86_64": "304"}.get(
            os.uname().machine, "265")))
        done = verify(name, "--plugin", at(name + ".so"))
        check("ways to open files that cannot be watched" in done.stdout, f"{name}: said",
              done.stdout)

    # ---- what a script reads and runs ------------------------------------------------------------
    write(at("script"), ["philox"], SCRIPT)
    os.chmod(at("script.child", "#!/bin/sh\necho 10\n"), 0o755)
    at("beside.py", BESIDE)
    at("script.json", json.dumps([0xD256D193, 0x9E3779B9]))
    certify("script", "--exec", at("script"))
    for name in ("beside.py", "script.child", "script.json"):
        replace("script", at(name), name, "--exec", at("script"))
    again = run("env", "ASSAY_WATCH=1", ASSAY, "certify", "--exec", at("script"), "--suite",
                "philox", "--quiet", "--no-explain", "--jobs", "2", "--out", at("jobs.jsonl"))
    check(open(at("jobs.jsonl")).read() == open(at("script.jsonl")).read(),
          "several processes name the same files", again.stderr)
    with open(at("script.certificate.jsonl")) as file:
        said = json.loads(base64.b64decode(json.loads(file.readlines()[1])["payload"]))["predicate"]
    check(any("in memory" in line for line in said["notExcluded"])
          and any("knows the answers" in line for line in said["notExcluded"]),
          "what cannot be seen is said", said.get("notExcluded"))
    done = verify("script", "--exec", at("script"))
    check("not seen  " in done.stdout and "knows the answers" in done.stdout, "also by verify",
          done.stdout)
    # ---- what it writes --------------------------------------------------------------------------
    check(not [name for name in subjects(at("script.certificate.jsonl")) if name[-1] == ">"],
          "a script that writes nothing is not said to", subjects(at("script.certificate.jsonl")))
    at("moved", "")
    plugin("writes", at("inner.so"), """extern int creat(const char *, unsigned), close(int),
        rename(const char *, const char *), unlink(const char *), open(const char *, int, ...);
        int file = creat("FOLDER/left", 0600); close(file); rename("FOLDER/moved", "FOLDER/to");
        close(creat("FOLDER/gone", 0600)); unlink("FOLDER/gone"); unlink("FOLDER/never");
        close(open("FOLDER/none/x", 0101, 0600)); close(open("/dev/null", 1));
    """.replace("FOLDER", folder).replace("\n", " "))
    named = {name for name in subjects(at("writes.certificate.jsonl")) if name[-1] == ">"}
    check(named == {f"library/{name}>" for name in ("left", "moved", "to", "gone")},
          "files that a target makes, changes, renames and removes are named", named)
    with open(at("writes.certificate.jsonl")) as file:
        said = json.loads(base64.b64decode(json.loads(file.readlines()[1])["payload"]))["predicate"]
    line = "made, changed or removed files outside of the folder that it is given: gone, left, " \
        "moved, to"
    check(line in said["beside"], "and the certificate says it first", said["beside"])
    done = run(ASSAY, "report", at("writes.jsonl"))
    check(line in "".join(done.stdout.splitlines(True)[:6]), "and so does a summary", done.stdout)
    done = verify("writes", "--plugin", at("writes.so"))
    check(done.returncode == 0 and line in done.stdout, "it holds all the same, and verify says it",
          done.stdout + done.stderr)
    # ---- what was not there ----------------------------------------------------------------------
    os.chmod(at("here", """#!/usr/bin/env python3
import os, runpy, sys
folder = os.path.dirname(sys.argv[0])
try:
    open(folder + "/users/machine")
    sys.argv[0] = folder + "/another"
except OSError:
    sys.argv[0] = folder + "/script"
runpy.run_path(sys.argv[0])
"""), 0o755)
    certify("here", "--exec", at("here"))
    check("library/users/machine?" in subjects(at("here.certificate.jsonl")),
          "a name that was looked for and was not there is listed")
    check(verify("here", "--exec", at("here")).returncode == 0, "the certificate holds without it")
    os.mkdir(at("users"))
    at("users/machine", "")
    for more in ([], ["--library", folder]):
        done = verify("here", "--exec", at("here"), *more)
        check(done.returncode == 1 and "CHANGED   library/users/machine?" in done.stdout
              and "whether it is there is not as certified" in done.stdout,
              "and no longer once it is there", done.stdout + done.stderr)
finish()
