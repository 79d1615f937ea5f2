#!/usr/bin/python3
"""measured.py [--from M --lines N] COMMAND...: runs a program and tells what it cost, as one line of JSON. With --lines it is interrupted when
its standard output has had so many lines, else it ends by itself; --from begins to count there.

    {"lines": 500, "counted": 400, "processor": 0.35, "seconds": 12.1, "first": 0.8, "status": 0, "began": 1763877600.1, "said": ""}

`processor` is what all its threads have used for the `counted` lines after the M-th, by the kernel's clock of the process: start, search,
connection and end are not in it. `first` and `seconds` are the times from the start of the program to its first line and to its end; `said`
the end of what it said on standard error.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time


def processor_time(process):
    """What all threads of a process have used, in seconds. The number of its clock is what clock_getcpuclockid(3) makes of its own."""
    return time.clock_gettime(~process << 3 | 2)


def main():
    words = sys.argv[1:]
    limit, begin = None, 0
    while words[0] in ("--from", "--lines"):
        if words[0] == "--from":
            begin = int(words[1])
        else:
            limit = int(words[1])
        words = words[2:]
    errors = tempfile.TemporaryFile()
    began = time.time()
    start = time.monotonic()
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
    lines, first, rest = 0, None, True
    start_of_count = end_of_count = None
    while rest:
        rest = os.read(program.stdout.fileno(), 65536)
        count = rest.count(b"\n")
        if count and first is None:
            first = time.monotonic() - start
        lines += count
        # Not at the end of the output, to which the end of the connection belongs.
        if count and lines >= begin:
            end_of_count = (lines, processor_time(program.pid))
            start_of_count = start_of_count or end_of_count
        if limit is not None and lines >= limit:
            program.send_signal(signal.SIGINT)
            limit, begin = None, sys.maxsize
    status = program.wait()
    seconds = time.monotonic() - start
    errors.seek(0)
    (first_line, used_before), (last_line, used) = start_of_count or (0, 0), end_of_count or (0, 0)
    print(json.dumps({"lines": lines, "counted": last_line - first_line, "processor": used - used_before, "seconds": seconds,
                      "first": first, "status": status, "began": began,
                      "said": errors.read()[-500:].decode(errors="replace")}))


if __name__ == "__main__":
    main()
