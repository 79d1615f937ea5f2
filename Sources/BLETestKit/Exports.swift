// The types of the radio that a test uses with a world, so that a test imports this module alone.
@_exported import struct BLECore.DeviceAddress
@_exported import enum BLECore.LogLevel
@_exported import enum BLEVirtualRadio.ControllerFault
@_exported import struct BLEVirtualRadio.ControllerConfiguration
@_exported import struct BLEVirtualRadio.ControllerQuirks
@_exported import enum BLEVirtualRadio.LossModel
@_exported import struct BLEVirtualRadio.BurstLoss
@_exported import struct BLEVirtualRadio.SignalLoss
@_exported import struct BLEVirtualRadio.Position
@_exported import struct BLEHost.BondSummary
@_exported import struct BLEHost.PairingSecurity
@_exported import struct BLEHost.SecurityPolicy
@_exported import enum BLEHost.SecurityLevel
@_exported import BLEPairing
