"""The foreign side of the interoperability tests: a host and controllers of Bumble, and the processes of `ble`."""
