"""The matrix once more where neither side's controller is ours: on the air of rootcanal. BLE_VM_ROOTCANAL=some tries some of the cells, as brief
runs do: both roles with values, and each way to pair and to lose keys with one method."""

import os

import pytest

from conftest import SUITES, Lab
from rootcanal_air import RootcanalAir, may_make_namespace
from test_matrix import *
from test_matrix_channel import *
from test_matrix_pairing import *

# By what their names begin with, and the method where they have one.
SOME = {"test_bluetoothd_uses_our_peripheral": "", "test_our_central_uses_bluetoothd": "",
        "test_bluetoothd_pairs_with_our_peripheral": "passkey-of-theirs-legacy", "test_our_central_pairs_with_bluetoothd": "comparison-secure",
        "test_bluetoothd_as_central_loses": "just-works-secure", "test_our_peripheral_loses": "just-works-secure",
        "test_bluetoothd_as_peripheral_loses": "just-works-secure", "test_our_central_loses": "passkey-of-ours-legacy"}


@pytest.fixture(scope="module", params=SUITES)
def lab(request, tmp_path_factory):
    if not may_make_namespace():
        pytest.skip("this machine does not let a program make a network namespace (unshare --net)")
    lab = Lab(request.param, tmp_path_factory.mktemp(f"{request.param}-rootcanal"), RootcanalAir)
    yield lab
    lab.stop()


@pytest.fixture(autouse=True)
def tried(request):
    if os.environ.get("BLE_VM_ROOTCANAL") == "some":
        name, _, parameters = request.node.name.partition("[")
        if not any(name.startswith(start) and method in parameters for start, method in SOME.items()):
            pytest.skip("brief runs leave this cell out on rootcanal's air")
