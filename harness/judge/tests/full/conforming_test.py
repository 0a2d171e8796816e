# SPDX-License-Identifier: Apache-2.0
"""No false accusation, the whole run: 1,000 random conforming implementations over 20
random cases each."""

import os
import subprocess
import sys

program = os.path.join(os.environ.get("BUILD", "build"), "tests", "harness", "judge", "tests",
                       "conforming_test")
done = subprocess.run([program, "1000"], capture_output=True, text=True, check=False,
                      env=dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP"))
print("\n".join(line for line in done.stdout.splitlines() if line.startswith("# ")
                or " - " in line))
print(f"{'ok' if done.returncode == 0 else 'not ok'} 1 - 1,000 conforming implementations over 20 "
      f"cases each")
print("1..1")
sys.exit(done.returncode != 0)
