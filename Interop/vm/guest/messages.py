#!/usr/bin/python3
"""messages.py outbox FILE, messages.py heard FILE: the values of a gateway's devices as one line of JSON, each as its key and its text.

Of an outbox those that wait for the broker, read by SQLite as any other program would; of a file those that a subscriber was sent.
"""

import json
import sqlite3
import sys


def waiting(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    database.execute("BEGIN")
    [(gateway,)] = database.execute("SELECT epoch FROM outbox")
    rows = database.execute("SELECT sequence, payload FROM message WHERE kind = 'value' ORDER BY sequence")
    return [[f"{gateway}/{sequence}", json.loads(payload)] for sequence, payload in rows]


def heard(path):
    with open(path, encoding="utf-8") as file:
        messages = [json.loads(line) for line in file if line.endswith("\n") and line.startswith("{")]
    # Behind the gateway's name, which an outbox does not have in it.
    return [[message["key"].partition("/")[2], message] for message in messages if message.get("event") == "value"]


def main():
    values = {"outbox": waiting, "heard": heard}[sys.argv[1]](sys.argv[2])
    print(json.dumps([[key, payload["value"]["utf8"]] for key, payload in values]))


if __name__ == "__main__":
    main()
