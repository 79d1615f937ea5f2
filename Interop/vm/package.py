"""The Debian package of a tool, for the guest."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from guest import PACKAGE, run

# The tool under test need not be the one that is released: its libraries of Swift belong to no package, and nothing is compressed, which the
# guest would need long to undo.
PROGRAMS = {
    "dpkg-shlibdeps": '#!/bin/sh\nexec /usr/bin/dpkg-shlibdeps --ignore-missing-info "$@"\n',
    "dpkg-deb": '#!/usr/bin/env bash\nexec /usr/bin/dpkg-deb "${@/#-Zxz/-Znone}"\n',
}


def make_package(tool, path):
    """Makes it with Tools/deb."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in PROGRAMS.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        run(PACKAGE / "Tools" / "deb", tool, folder / "made",
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "XZ_OPT": "-0"})
        [package] = (folder / "made").glob("*.deb")
        shutil.move(package, path)
