#!/usr/bin/python3
"""measured.py [--lines N] COMMAND...: runs a program and tells what it cost, as one line of JSON. With --lines it is interrupted when its
standard output has had so many lines, else it ends by itself.

    {"lines": 500, "seconds": 12.1, "first": 0.8, "processor": 1.35, "status": 0, "began": 1763877600.1, "said": ""}

`processor` is what all its threads have used, as the kernel counts it for a process that has ended; `first` and `seconds` are the times from
the start of the program to its first line and to its end; `said` the end of what it said on standard error.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time


def main():
    words = sys.argv[1:]
    limit = None
    if words[0] == "--lines":
        limit, words = int(words[1]), words[2:]
    errors = tempfile.TemporaryFile()
    began = time.time()
    start = time.monotonic()
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
    lines, first, rest = 0, None, True
    while rest:
        rest = os.read(program.stdout.fileno(), 65536)
        count = rest.count(b"\n")
        if count and first is None:
            first = time.monotonic() - start
        lines += count
        if limit is not None and lines >= limit:
            program.send_signal(signal.SIGINT)
            limit = None
    _, status, usage = os.wait4(program.pid, 0)
    seconds = time.monotonic() - start
    errors.seek(0)
    print(json.dumps({"lines": lines, "seconds": seconds, "first": first, "processor": usage.ru_utime + usage.ru_stime,
                      "status": os.waitstatus_to_exitcode(status), "began": began,
                      "said": errors.read()[-500:].decode(errors="replace")}))


if __name__ == "__main__":
    main()
