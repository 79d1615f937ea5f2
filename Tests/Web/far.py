"""Devices of other processes on one embedded radio, for an explorer that has that radio."""
import contextlib
import subprocess

from explorer import TOOL, Explorer, Page


class Far:
    """An air of its own, in the folder of a test."""

    def __init__(self, folder):
        # A path of a socket has little room.
        self.name, self.made = "far", []
        self.environment = {"XDG_STATE_HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PATH": "/usr/bin"}

    def explorer(self, label):
        """Another explorer on this air."""
        one = Explorer("--adapter", f"radio:{self.name}/{label}", environment=self.environment)
        self.made.append(one.end)
        return one

    def serve(self, file):
        """`ble serve` of that file, when it advertises."""
        process = subprocess.Popen(
            [TOOL, "serve", str(file), "--adapter", f"radio:{self.name}/server", "--json"], env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.wait()

        self.made.append(end)
        for line in process.stdout:
            if '"advertising"' in line:
                return process
        raise AssertionError("ble serve has ended")

    def end(self):
        with contextlib.ExitStack() as stack:
            for end in self.made:
                stack.callback(end)


def opened(browser, explorer, **size):
    return Page(browser(**size), explorer.address)
