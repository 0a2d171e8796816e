# SPDX-License-Identifier: Apache-2.0
"""What tests in Python print: one line a statement in TAP (https://testanything.org), and at the
end how many there were."""
import sys

count = failed = 0


def check(right, name, detail=""):
    """One statement. The detail is shown where it does not hold: text, lines, a finished process,
    or any value."""
    global count, failed
    count += 1
    failed += not right
    print(f"{'ok' if right else 'not ok'} {count} - {name}", flush=True)
    if not right:
        if hasattr(detail, "returncode"):
            detail = f"exit code {detail.returncode}\n{text(detail.stdout)}{text(detail.stderr)}"
        for line in detail if isinstance(detail, (list, tuple)) else str(detail).splitlines():
            print("#", str(line)[:2000].replace("\n", "\n# "), flush=True)
    return bool(right)


def report(name, failure):
    """One statement, by what is wrong with it: a text, or None where it holds."""
    return check(not failure, name, failure or "")


def expect(done, code, said, name):
    """The statement that a finished process has this exit code, and said each of these texts."""
    missing = [part for part in said if part not in text(done.stdout) + text(done.stderr)]
    return check(done.returncode == code and not missing, name,
                 [f"not said: {part}" for part in missing] + [text(done.stdout), text(done.stderr)]
                 if missing else done)


def checked(name):
    """Decorates a function that is called at once: the statement holds when it raises nothing."""
    def call(function):
        try:
            function()
            check(True, name)
        except Exception as error:  # noqa: BLE001
            check(False, name, f"{type(error).__name__}: {error}")
    return call


def text(output):
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def finish():
    """The last line; the exit code is 1 where a statement did not hold."""
    print(f"1..{count}", flush=True)
    sys.exit(1 if failed else 0)
