#!/usr/bin/python3
"""recording.py FILE SESSION: what a file of `ble record` holds of a session, as one line of JSON, while the recorder writes on.

Read as any other program would: by SQLite, in one transaction.
"""

import json
import sqlite3
import sys


def main():
    path, session = sys.argv[1], int(sys.argv[2])
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    database.execute("BEGIN")
    damage = [text for (text,) in database.execute("PRAGMA integrity_check") if text != "ok"]
    names = dict(database.execute("SELECT id, name FROM device"))
    values = [[number, names[device], octets.decode(errors="replace")] for number, device, octets in database.execute(
        "SELECT id, device, octets FROM value WHERE session = ? ORDER BY id", (session,))]
    [ending] = database.execute("SELECT ending FROM session WHERE id = ?", (session,)).fetchone()
    print(json.dumps({"damage": damage, "values": values, "ending": ending}))


if __name__ == "__main__":
    main()
