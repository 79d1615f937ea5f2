// What all fuzzers are made with.
@_exported import FuzzSupport
