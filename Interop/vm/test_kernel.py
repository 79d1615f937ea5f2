"""The guard of kernel.py, with consoles that a test writes: no guest is needed. The runs that it guards are runs of pytest of their own."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from kernel import stopped_in

HERE = pathlib.Path(__file__).resolve().parent
READY = "lab: ready\r\n"
# Linux 6.1 and 6.12 as they say it, cut to what matters.
LIST = """[  101.520113] list_del corruption, ffff888004f1c800->next is LIST_POISON1 (dead000000000100)\r
[  101.520901] ------------[ cut here ]------------\r
[  101.521003] kernel BUG at lib/list_debug.c:56!\r
[  101.521377] invalid opcode: 0000 [#1] PREEMPT SMP NOPTI\r
[  101.522004] CPU: 0 PID: 61 Comm: kworker/u3:1 Not tainted 6.1.0-44-amd64 #1  Debian 6.1.164-1\r
[  101.523188] RIP: 0010:__list_del_entry_valid.cold+0xf/0x6f\r
[  101.527710] Call Trace:\r
[  101.527951]  <TASK>\r
[  101.528104]  ? __die_body.cold+0x1a/0x1f\r
[  101.528400]  ? asm_exc_invalid_op+0x16/0x20\r
[  101.528700]  hci_chan_del+0x18/0x90 [bluetooth]\r
[  101.529002]  l2cap_chan_put+0x106/0x130 [bluetooth]\r
[  101.529200]  l2cap_sock_release+0xca/0x100 [bluetooth]\r
"""
PANIC = """[   20.100000] sysrq: Trigger a crash\r
[   20.100300] Kernel panic - not syncing: sysrq triggered crash\r
[   20.101000] Call Trace:\r
[   20.101100]  <TASK>\r
[   20.101200]  dump_stack_lvl+0x45/0x5e\r
[   20.101300]  panic+0x118/0x2ed\r
[   20.101400]  sysrq_handle_crash+0x16/0x20\r
[   20.101500]  __handle_sysrq.cold+0x8a/0xe1\r
"""
POINTER = """[  9.100000] BUG: kernel NULL pointer dereference, address: 0000000000000010\r
[  9.100500] Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI\r
[  9.101000] RIP: 0010:l2cap_sock_close_cb+0x1f/0x60 [bluetooth]\r
"""
WAITING = """[  363.100000] INFO: task bluetoothd:183 blocked for more than 120 seconds.\r
[  363.101000]  __schedule+0x34d/0x9e0\r
[  363.102000]  schedule+0x5a/0xd0\r
[  363.103000]  __mutex_lock.constprop.0+0x3a6/0x6f0\r
[  363.104000]  mgmt_set_powered+0x11/0x50 [bluetooth]\r
"""


@pytest.mark.outside
@pytest.mark.parametrize("console, place", [
    (LIST, "hci_chan_del"), (PANIC, "sysrq_handle_crash"), (POINTER, "l2cap_sock_close_cb"), (WAITING, "mgmt_set_powered"),
    ("[  7.000000] general protection fault, probably for non-canonical address\r\n", "a function that it does not name")])
def test_i15_3_a_kernel_that_has_stopped_is_seen_on_its_console(console, place):
    assert stopped_in(READY + console) == place


@pytest.mark.outside
@pytest.mark.parametrize("console", [
    "", READY, "lab: bluetoothd has ended: 139\r\n", "[   63.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [python3:201]\r\n",
    "[   63.000000] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 42s!\r\n",
    "[    1.000000] Bluetooth: hci0: Opcode 0x0c03 failed: -110\r\n"])
def test_i15_3_a_slow_machine_or_an_ended_daemon_is_no_stopped_kernel(console):
    assert stopped_in(console) is None


# What stands in for the fixture `lab` of conftest.py.
CONFTEST = """
import pathlib, sys
import pytest
sys.path.insert(0, {here!r})
from grounds import Grounds
from kernel import KernelGuard

running = []


class Guest:
    linux = "Linux 6.1"

    def __init__(self, folder):
        self.console = folder / "console.log"
        self.console.write_text({ready!r})
        self.is_running = True

    def stops(self):
        with self.console.open("a") as console:
            console.write({list!r})

    def stop(self):
        self.is_running = False


class Lab:
    suite = "bookworm"
    made = 0

    def __init__(self, folder):
        self.guest = Guest(folder)
        Lab.made += 1
        self.number = Lab.made
        running.append(self)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("guest"))
    yield lab
    running.remove(lab)
    lab.guest.stop()


@pytest.fixture(scope="module")
def server(lab):
    yield lab.number
    assert lab.guest.is_running, "a server cannot be ended in a guest that has ended"


def pytest_configure(config):
    grounds = Grounds()
    config.pluginmanager.register(grounds)
    config.pluginmanager.register(KernelGuard(running, pathlib.Path("failures"), grounds.forget))
"""


class Inner:
    """A run of pytest over some tests."""

    def __init__(self, folder, text):
        (folder / "conftest.py").write_text(CONFTEST.format(here=str(HERE), ready=READY, list=LIST))
        (folder / "test_inner.py").write_text("tries = []\n" + text)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("BLE_", "PYTEST_"))}
        result = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--basetemp", folder / "base", folder], cwd=folder,
                                env={**environment, "COLUMNS": "250"}, capture_output=True, text=True, check=False)
        self.status, self.text = result.returncode, result.stdout + result.stderr
        self.folder = folder / "failures" / "kernel"

    def outcomes(self):
        lines = [line.split() for line in self.text.splitlines() if line.startswith(("PASSED ", "FAILED ", "ERROR "))]
        return {words[1].partition("::")[2]: words[0] for words in lines}


@pytest.mark.outside
def test_i15_3_a_test_whose_kernel_stops_is_run_once_more_on_a_new_guest(tmp_path):
    run = Inner(tmp_path, """
def test_before(lab, server): assert server == 1
def test_stopping(lab, server):
    tries.append(server)
    if len(tries) == 1:
        lab.guest.stops()
    assert len(tries) == 2, "the adapter cannot be switched on"
def test_after(lab, server): assert server == 2 and tries == [1, 2] and lab.guest.is_running
""")
    assert run.outcomes() == {"test_before": "PASSED", "test_stopping": "PASSED", "test_after": "PASSED"}, run.text
    assert run.status == 0
    line = "guest bookworm: Linux 6.1 stopped in hci_chan_del during test_inner.py::test_stopping; replaced"
    # When it happens, and in the summary.
    assert run.text.splitlines().count(line) == 2, run.text
    assert re.search("^stopping +1/1$", run.text, re.MULTILINE), run.text
    kept = run.folder / "test_inner-test_stopping"
    assert "hci_chan_del" in (kept / "console-1.log").read_text()
    assert "the adapter cannot be switched on" in (kept / "attempt.txt").read_text()


@pytest.mark.outside
def test_i15_3_what_stops_twice_fails_and_other_failures_are_not_repeated(tmp_path):
    run = Inner(tmp_path, """
def test_failing(lab):
    tries.append("failing")
    assert False
def test_failing_twice(lab):
    tries.append("stopping")
    lab.guest.stops()
    assert False, "the adapter cannot be switched on"
def test_after(lab): assert lab.number == 3 and tries == ["failing", "stopping", "stopping"]
""")
    assert run.outcomes() == {"test_failing": "FAILED", "test_failing_twice": "FAILED", "test_after": "PASSED"}, run.text
    assert run.status == 1 and "during test_inner.py::test_failing_twice, again; replaced" in run.text, run.text


@pytest.mark.outside
def test_i15_3_a_test_that_passes_only_while_the_kernel_stops_each_time_fails(tmp_path):
    run = Inner(tmp_path, """
def test_stopping_twice(lab):
    tries.append(lab.number)
    lab.guest.stops()
    assert len(tries) == 2
""")
    assert run.outcomes() == {"test_stopping_twice": "ERROR"}, run.text
    assert run.status == 1 and "has stopped twice in a row during this test" in run.text
    assert re.search("^stopping twice +0/1$", run.text, re.MULTILINE), run.text


@pytest.mark.outside
def test_i15_3_a_test_that_passes_is_not_repeated_and_the_next_one_has_a_new_guest(tmp_path):
    run = Inner(tmp_path, """
import pytest
@pytest.fixture
def late(lab):
    yield
    tries.append("late")
    if len(tries) == 2:
        lab.guest.stops()
        assert False, "bluetoothd has ended"
def test_passing(lab, server):
    tries.append("passing")
    lab.guest.stops()
def test_late(late, lab): assert lab.number == len(tries) + 1
def test_last(lab):
    assert lab.number == 3
    lab.guest.stops()
""")
    assert run.outcomes() == {"test_passing": "PASSED", "test_late": "PASSED", "test_last": "PASSED"}, run.text
    assert run.text.count("; replaced") == 6, run.text


@pytest.mark.outside
def test_i15_3_no_more_than_three_guests_are_replaced(tmp_path):
    run = Inner(tmp_path, """
import pytest
@pytest.mark.parametrize("number", range(9))
def test_stopping(lab, number): lab.guest.stops()
""")
    assert run.text.count("; replaced") == 6 and run.text.count("; not replaced, as 3 have been") >= 2, run.text
    assert run.status == 1 and len(run.outcomes()) == 4, run.text
