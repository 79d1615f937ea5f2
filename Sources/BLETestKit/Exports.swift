// The types of the radio that a test uses with a world, so that a test imports this module alone.
@_exported import struct BLECore.DeviceAddress
@_exported import struct BLECore.AttributeHandle
@_exported import struct BLECore.BLEUUID
@_exported import enum BLECore.LogLevel
@_exported import struct BLEVirtualRadio.VirtualClock
@_exported import class BLEVirtualRadio.VirtualTimer
@_exported import BLEFaults
@_exported import struct BLEWire.ATTErrorCode
@_exported import struct BLEWire.ATTOpcode
@_exported import struct BLEWire.HCIErrorCode
@_exported import struct BLEWire.L2CAPSignalingCode
@_exported import struct BLEWire.SMPCode
@_exported import enum BLEVirtualRadio.ControllerFault
@_exported import struct BLEVirtualRadio.ControllerConfiguration
@_exported import struct BLEVirtualRadio.ControllerQuirks
@_exported import enum BLEVirtualRadio.LossModel
@_exported import struct BLEVirtualRadio.BurstLoss
@_exported import struct BLEVirtualRadio.SignalLoss
@_exported import struct BLEVirtualRadio.Position
@_exported import struct BLEVirtualRadio.Propagation
@_exported import struct BLEVirtualRadio.FloorPlan
@_exported import struct BLEVirtualRadio.Wall
@_exported import enum BLEVirtualRadio.WallMaterial
@_exported import struct BLEVirtualRadio.Interferer
@_exported import struct BLEVirtualRadio.AirDescriptionError
@_exported import struct BLEHost.BondSummary
@_exported import struct BLEHost.PairingSecurity
@_exported import struct BLEHost.SecurityPolicy
@_exported import enum BLEHost.SecurityLevel
@_exported import BLEPairing
@_exported import struct BLERules.BrokenRule
@_exported import struct BLERules.RuleSet
@_exported import struct BLERules.SystemRule
