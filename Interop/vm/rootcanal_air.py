"""The air of rootcanal (PyPI): virtual controllers that are not ours, for the guest and for our host alike."""

import importlib.util
import os
import pathlib
import subprocess
import sys

from guest import HERE, Build, Failure
from programs import Running, wait_until

PORT = 6402
# In its strict mode it ends at Write Authenticated Payload Timeout, which Linux sends because the controller says that it supports it.
CONFIGURATION = f"tcp_server {{ tcp_port: {PORT} configuration {{ strict: false }} }}"
SCRIPT = """
busybox=$1 folder=$2 configuration=$3 rootcanal=$4 loader=$5 libraries=$6; shift 6
"$busybox" ip link set lo up
cd "$folder"
"$loader" --library-path "$libraries" "$rootcanal" -enable_log_color=false -enable_hci_sniffer -configuration "$configuration" & air=$!
"$@" & relay=$!
trap 'kill $relay $air' TERM
wait $air
"""


def installed():
    """rootcanal's program."""
    found = importlib.util.find_spec("rootcanal")
    if found is None:
        raise Failure("rootcanal is not in .venv: run Tools/prepare vm")
    return pathlib.Path(found.submodule_search_locations[0]) / "bin/linux-x86_64/rootcanal"


def namespace():
    """The command that runs another one in a network namespace of its own."""
    return ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]


def may_make_namespace():
    """Whether this machine permits that: containers and some systems do not."""
    return subprocess.run([*namespace(), "true"], capture_output=True).returncode == 0


class RootcanalAir:
    """rootcanal needs a newer C library than Debian 12 has: it gets the libraries of the guest of Debian 13. It listens on all addresses,
    therefore it runs in a network namespace of its own, which has nothing but a loopback interface."""

    def __init__(self, lab):
        self.socket = lab.runtime / "rootcanal.sock"
        # What passes between it and each of its hosts.
        self.folder = lab.folder / "rootcanal"
        self.folder.mkdir()
        build = Build("trixie")
        build.make()
        libraries = build.root / "usr/lib/x86_64-linux-gnu"
        lab.programs.append(Running(
            [*namespace(), "bash", "-c", SCRIPT, "rootcanal", build.root / "usr/bin/busybox", self.folder, CONFIGURATION,
             installed(), libraries / "ld-linux-x86-64.so.2", libraries,
             sys.executable, HERE / "rootcanal_relay.py", self.socket, PORT],
            lab.folder / "rootcanal.log", lab.environment))
        wait_until(self.socket.exists, "rootcanal's socket", 120)

    def kept(self):
        """What tells of the guest's controller where a test has failed: it was there first, and has the lowest number."""
        captures = sorted(self.folder.glob("rootcanal_*.pcap"), key=lambda path: int(path.name.split("_")[1]))
        return [*captures[:1], self.folder.parent / "rootcanal.log"]

    def adapter(self, name):
        """One more controller, whatever the device is called."""
        return f"unix-client:{self.socket}"
