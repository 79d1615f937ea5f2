// The type of the counters of adapters, so that a program that reads them imports this module alone.
@_exported import struct BLEAdapter.AdapterCounters
@_exported import enum BLEAdapter.AdapterName
@_exported import enum BLECore.EndReason
