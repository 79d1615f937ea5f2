"""A small guest with a Linux kernel and a bluetoothd of Debian's, whose Bluetooth controller is outside of it.

    python guest.py build [SUITE]      downloads Debian's packages and makes the guest of that suite (this machine's; trixie)
    python guest.py run [SUITE]        starts it on a controller of the embedded radio, with a prompt for command lines
"""

import argparse
import lzma
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1]
sys.path[:0] = [str(PACKAGE / "Tools")]

from ports import free_port  # noqa: E402

WORK = pathlib.Path(os.environ.get("BLE_VM_FOLDER", PACKAGE / ".build" / "vm"))

# What is in the guest, by Debian's names. The third last line is what the project's own programs are linked with, then what their
# package is installed and run by: systemd, and what Debian takes to be on every machine; the last is a broker for the gateway.
PACKAGES = """
    bluez dbus-daemon dbus-bin busybox-static bash kmod rfkill socat strace libcap2-bin
    python3-minimal python3-dbus python3-gi
    libssl3 libsqlite3-0 libsystemd0 libmicrohttpd12 libmosquitto1 libstdc++6
    systemd libnss-systemd dpkg dash coreutils diffutils libc-bin perl-base sed grep
    mosquitto mosquitto-clients
""".split()
# What dpkg in the guest knows of them.
FIELDS = ["Package", "Version", "Architecture", "Multi-Arch", "Provides", "Maintainer", "Description"]
# By what the first program reaches its root; they are loaded in the order that the kernel's own list of dependencies gives.
FIRST_MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]


class Failure(Exception):
    """Something that a person has to see to; the text says what."""


def this_suite():
    for line in open("/etc/os-release", encoding="utf-8"):
        if line.startswith("VERSION_CODENAME="):
            return line.strip().partition("=")[2].strip('"')
    raise Failure("this machine's system has no code name: name a suite of Debian's, such as bookworm")


def run(*command, **options):
    """Runs a program; its output is part of the failure where it fails."""
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False, **options)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stdout[-2000:]}")
    return result.stdout


class Build:
    """Makes a guest in its folder: `root`, what the packages contain; `vmlinux` and `initrd`, what the emulator starts."""

    def __init__(self, suite):
        self.suite = suite
        self.folder = WORK / suite
        self.root = self.folder / "root"
        self.kernel = self.folder / "kernel"

    @property
    def is_there(self):
        return (self.folder / "made").exists() and (self.folder / "made").read_text() == self.recipe

    @property
    def recipe(self):
        """Changes with everything that the result depends on, but for the packages."""
        files = sorted(path for path in [*HERE.glob("guest/*"), HERE / "guest.py"] if path.is_file())
        return str(zlib.crc32(b"".join(path.read_bytes() for path in files)))

    def make(self):
        if self.is_there:
            return
        print(f"vm: making the guest of {self.suite} in {self.folder}", flush=True)
        unpacked = self.folder / "unpacked"
        if not unpacked.exists() or unpacked.read_text().split() != PACKAGES:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.download()
            self.unpack()
            unpacked.write_text(" ".join(PACKAGES))
        self.add_own_files()
        self.make_kernel()
        self.make_first_program()
        (self.folder / "made").write_text(self.recipe)

    # Packages

    def apt(self, program, *words):
        """apt with folders of its own: nothing of this machine is changed."""
        apt = self.folder / "apt"
        options = {
            "Dir": apt, "Dir::Etc": apt / "etc", "Dir::State::lists": apt / "lists", "Dir::State::status": apt / "status",
            "Dir::Cache": apt / "cache", "APT::Architecture": "amd64", "APT::Sandbox::User": "root",
            "Debug::NoLocking": "1", "Acquire::Languages": "none"}
        settings = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return run(program, *settings, "-q", *words, cwd=apt / "cache" / "archives")

    def sources(self):
        """From where this machine takes its packages, for the suite."""
        listed = run("apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)", "Created-By: Packages")
        lines = {line for line in listed.splitlines() if "|" in line}
        signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
        texts = []
        for line in sorted(lines):
            label, _, address = line.partition("|")
            if label == "Debian":
                texts.append(f"deb {signed} {address} {self.suite} main")
            elif label == "Debian-Security":
                texts.append(f"deb {signed} {address} {self.suite}-security main")
        if not texts:
            raise Failure("this machine's apt takes no packages from Debian: the guest is made of Debian's")
        return "\n".join(texts) + "\n"

    def download(self):
        apt = self.folder / "apt"
        for name in ["etc/sources.list.d", "etc/preferences.d", "etc/apt.conf.d", "etc/trusted.gpg.d", "lists/partial",
                     "cache/archives/partial"]:
            (apt / name).mkdir(parents=True)
        (apt / "status").touch()
        (apt / "etc" / "sources.list").write_text(self.sources())
        self.apt("apt-get", "update")
        depends = self.apt("apt-cache", "depends", "linux-image-amd64").splitlines()
        image = next((line.split()[-1] for line in depends if "Depends: linux-image" in line), None)
        if image is None:
            raise Failure(f"{self.suite} has no linux-image-amd64")
        self.apt("apt-get", "download", image)
        self.apt("apt-get", "install", "-y", "--download-only", "--no-install-recommends", *PACKAGES)

    def unpack(self):
        for name in ["bin", "sbin", "lib", "lib64"]:
            (self.root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (self.root / name).symlink_to(f"usr/{name}")
        self.kernel.mkdir()
        for archive in sorted((self.folder / "apt" / "cache" / "archives").glob("*.deb")):
            into = self.kernel if archive.name.startswith("linux-image-") else self.root
            # Packages have /lib and /usr/lib; here one leads to the other.
            content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
            run_tar = subprocess.run(["tar", "-x", "-C", into, "--keep-directory-symlink", "--no-same-owner"],
                                     stdin=content.stdout, capture_output=True, text=True, check=False)
            if content.wait() != 0 or run_tar.returncode != 0:
                raise Failure(f"{archive.name} cannot be unpacked: {run_tar.stderr}")

    # What the packages do not contain

    def add_own_files(self):
        lab = self.root / "lab"
        shutil.rmtree(lab, ignore_errors=True)
        lab.mkdir()
        for path in (HERE / "guest").iterdir():
            if path.suffix == ".c":
                run("clang", "-O2", "-Wall", "-Werror", "-static", "-o", lab / path.stem, path)
            elif path.is_file():
                shutil.copy2(path, lab / path.name)
        etc = self.root / "etc"
        (etc / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\nmessagebus:x:100:100::/:/bin/false\n"
                                    "user:x:1000:1000::/tmp:/bin/sh\n")
        (etc / "group").write_text("root:x:0:\nmessagebus:x:100:\nbluetooth:x:101:\nuser:x:1000:\n")
        (etc / "nsswitch.conf").write_text("passwd: files systemd\ngroup: files systemd\nhosts: files\n")
        (etc / "hosts").write_text("127.0.0.1 localhost\n")
        # Which packages these are, for programs that look it up, and for dpkg, which wants them configured, and with all that they depend
        # on: they are only unpacked, and the kernel is elsewhere.
        archives = sorted(path for path in (self.folder / "apt" / "cache" / "archives").glob("*.deb")
                          if not path.name.startswith("linux-image-"))
        for name in ["info", "updates", "triggers", "alternatives"]:
            (self.root / "var/lib/dpkg" / name).mkdir(parents=True, exist_ok=True)
        (self.root / "var/lib/dpkg/status").write_text(
            "\n".join(run("dpkg-deb", "--field", archive, *FIELDS) + "Status: install ok installed\n" for archive in archives))
        for name in ["proc", "sys", "dev", "run", "tmp", "host", "root", "var/lib/dbus", "lab/bin"]:
            (self.root / name).mkdir(parents=True, exist_ok=True)

    # The kernel

    @property
    def version(self):
        return next(path.name.removeprefix("vmlinuz-") for path in (self.kernel / "boot").glob("vmlinuz-*"))

    def make_kernel(self):
        """The image without its compression: the emulator starts it at once, and need not emulate the decompression."""
        image = (self.kernel / "boot" / f"vmlinuz-{self.version}").read_bytes()
        unpackers = {b"\xfd7zXZ\0": lambda data: lzma.LZMADecompressor().decompress(data),
                     b"\x28\xb5\x2f\xfd": lambda data: subprocess.run(
                         ["zstd", "-dcq"], input=data, capture_output=True, check=False).stdout}
        for magic, unpack in unpackers.items():
            at = image.find(magic)
            while at >= 0:
                try:
                    kernel = unpack(image[at:])
                except lzma.LZMAError:
                    kernel = b""
                if kernel.startswith(b"\x7fELF"):
                    (self.folder / "vmlinux").write_bytes(kernel)
                    return
                at = image.find(magic, at + 1)
        raise Failure(f"no kernel can be found in vmlinuz-{self.version}")

    def make_first_program(self):
        modules = next(path for path in [self.kernel / "usr/lib/modules" / self.version,
                                         self.kernel / "lib/modules" / self.version] if path.exists())
        target = self.root / "usr/lib/modules" / self.version
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(modules, target, symlinks=True)
        # The guest's own depmod, with the guest's libraries.
        libraries = self.root / "usr/lib/x86_64-linux-gnu"
        run(self.root / "lib64/ld-linux-x86-64.so.2", "--library-path", libraries, "--argv0", "depmod",
            next(path for path in [self.root / "usr/bin/kmod", self.root / "bin/kmod"] if path.exists()),
            "-b", self.root, self.version)
        first = self.folder / "first"
        shutil.rmtree(first, ignore_errors=True)
        (first / "bin").mkdir(parents=True)
        (first / "modules.d").mkdir()
        busybox = next(path for path in [self.root / "usr/bin/busybox", self.root / "bin/busybox"] if path.exists())
        shutil.copy2(busybox, first / "bin" / "busybox")
        shutil.copy2(HERE / "guest" / "boot", first / "init")
        order = []
        for name in FIRST_MODULES:
            self.collect(name, target, order)
        for path in order:
            content = path.read_bytes()
            if path.suffix == ".xz":
                content = lzma.decompress(content)
            (first / "modules.d" / path.name.removesuffix(".xz")).write_bytes(content)
        (first / "modules").write_text("".join(path.name.removesuffix(".xz") + "\n" for path in order))
        run("sh", "-c", f"cd '{first}' && find . | LC_ALL=C sort | cpio -o -H newc --quiet >'{self.folder / 'initrd'}'")

    def collect(self, name, modules, order):
        """Adds a module behind those that it needs; none where the kernel has it built in."""
        for line in (modules / "modules.dep").read_text().splitlines():
            path, _, needed = line.partition(":")
            if pathlib.Path(path).name.partition(".ko")[0].replace("-", "_") == name:
                for other in [*reversed(needed.split()), path]:
                    if modules / other not in order:
                        order.append(modules / other)


class Command:
    """A command line that runs in the guest."""

    def __init__(self, port, line):
        self.line = line
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.connection.sendall(line.encode() + b"\n")
        self.port = port
        self.output = b""
        self.session = None
        self.status = None

    def send(self, text):
        """Gives it to its standard input."""
        self.connection.settimeout(60)
        self.connection.sendall(text.encode())

    def end_input(self):
        self.connection.shutdown(socket.SHUT_WR)

    def receive(self, until):
        """Waits for more of its output, or its end."""
        left = until - time.monotonic()
        if left <= 0:
            raise Failure(f"in the guest: {self.line}: no end in time; so far:\n{self.text[-3000:]}")
        self.connection.settimeout(left)
        try:
            data = self.connection.recv(65536)
        except TimeoutError:
            return
        if data:
            self.output += data
            if self.session is None and b"\n" in self.output:
                first, _, self.output = self.output.partition(b"\n")
                self.session = int(first.removeprefix(b"lab-session "))
            return
        head, mark, status = self.output.rpartition(b"\nlab-status ")
        self.output = head if mark else self.output
        self.status = int(status) if mark else -1

    @property
    def text(self):
        return self.output.decode(errors="replace")

    def wait_for(self, text, seconds=60, count=1):
        """Waits until it has printed `text`, so often."""
        until = time.monotonic() + seconds
        while self.text.count(text) < count:
            if self.status is not None:
                raise Failure(f"in the guest: {self.line}: ended with {self.status} before '{text}':\n{self.text}")
            self.receive(until)
        return self.text

    def interrupt(self, seconds=60, signal="INT"):
        """Does what Ctrl-C does, and waits for its end."""
        while self.session is None:
            self.receive(time.monotonic() + seconds)
        Command(self.port, f"/lab/interrupt {self.session} {signal}").wait()
        return self.wait(seconds)

    def kill(self):
        """Ends it as a crash does, if it has not ended, as it has where its guest has ended."""
        try:
            if self.status is None:
                self.interrupt(signal="KILL")
        except ConnectionError:
            self.status = -1

    def finish(self, seconds=120):
        """Waits for its own end; gives the exit status."""
        return self.wait(seconds)[0]

    def wait(self, seconds=60):
        """Waits for its end; gives status and output."""
        until = time.monotonic() + seconds
        while self.status is None:
            self.receive(until)
        self.connection.close()
        return self.status, self.text


class Guest:
    """A running guest. `controllers` are paths of Unix sockets where a controller speaks H4, one for each adapter. `counts`: its time is the
    number of instructions that it has carried out, two nanoseconds each, and what else this machine does is not in it. `systemd`: it is the
    first process, and starts the daemon."""

    def __init__(self, suite, controllers, folder, daemon=True, memory=512, counts=False, systemd=False):
        build = Build(suite)
        build.make()
        # Of its kernel's version what its documents name: 6.1 of 6.1.0-44-amd64.
        self.linux = f"Linux {'.'.join(build.version.split('.')[:2])}"
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.console = self.folder / "console.log"
        self.console.unlink(missing_ok=True)
        self.port = free_port()
        # On a busy machine the emulated timer is late: the kernel is not to conclude that it does not work.
        words = ["console=ttyS0", "panic=-1", "quiet", "loglevel=4", "mitigations=off", "audit=0", "no_timer_check", "rdinit=/init"]
        if not daemon:
            words.append("lab.daemon=no")
        if systemd:
            words.append("lab.init=systemd")
        command = [
            "qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-machine", "q35,usb=off,vmport=off", "-m", str(memory),
            "-smp", "1", "-kernel", build.folder / "vmlinux", "-initrd", build.folder / "initrd", "-append", " ".join(words),
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", f"file:{self.console}",
            "-device", "virtio-rng-pci",
            "-netdev", f"user,id=network,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:2323",
            "-device", "virtio-net-pci,netdev=network,romfile=",
            "-virtfs", f"local,path={build.root},mount_tag=root,security_model=none,readonly=on,multidevs=remap",
            "-virtfs", f"local,path={self.folder},mount_tag=host,security_model=none,multidevs=remap",
            # The same again, for what never changes: the guest reads programs once, which takes seconds each time.
            "-virtfs", f"local,path={self.folder},mount_tag=programs,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-serial-pci"]
        if counts:
            command += ["-icount", "shift=1,sleep=on"]
        for number, path in enumerate(controllers):
            command += ["-chardev", f"socket,id=hci{number},path={path},reconnect=1",
                        "-device", f"virtserialport,chardev=hci{number},name=hci{number}"]
        self.log = open(self.folder / "qemu.log", "wb")
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, start_new_session=True)

    def wait_until_ready(self, seconds=300):
        until = time.monotonic() + seconds
        while not (self.console.exists() and b"lab: ready" in self.console.read_bytes()):
            if self.process.poll() is not None or time.monotonic() > until:
                said = self.console.read_text(errors="replace") if self.console.exists() else ""
                problem = "has ended" if self.process.poll() is not None else f"is not ready after {seconds} s"
                self.stop()
                raise Failure(f"the guest {problem}:\n{(self.folder / 'qemu.log').read_text()}{said[-3000:]}")
            time.sleep(0.1)

    def start(self, line):
        return Command(self.port, line)

    def run(self, line, seconds=60):
        """Status and output of a command line."""
        return self.start(line).wait(seconds)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["build", "run"])
    parser.add_argument("suite", nargs="?", default=None)
    parser.add_argument("--controller", help="a Unix socket where a controller speaks H4")
    words = parser.parse_args()
    suite = words.suite or this_suite()
    Build(suite).make()
    if words.action == "build":
        return
    with Guest(suite, [words.controller] if words.controller else [], WORK / "run") as guest:
        guest.wait_until_ready()
        for line in sys.stdin:
            status, output = guest.run(line.strip(), 600)
            print(output, f"(exit {status})" if status else "", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
