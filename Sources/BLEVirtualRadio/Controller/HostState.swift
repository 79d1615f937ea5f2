import BLECore
import BLECrypto
import BLEWire

/// The state that the host sets by commands, with the values after a reset.
struct HostState {
  /// Legacy and extended commands do not mix between two resets (Core, Vol 4 Part E 3.1.1).
  enum CommandStyle { case legacy, extended }

  var eventMask = HCIEventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
  var eventMaskPage2 = HCIEventMaskPage2(rawValue: 0)
  var lowEnergyMask = LEEventMask(rawValue: 0x1F)
  var randomAddress: DeviceAddress?
  var style: CommandStyle?
  var scanSettings: LinkLayerScanner.Settings?
  var suggestedDataLength = DataLengthLimit.smallest
  var defaultTransmitPHYs: LEPHYSet?
  var defaultReceivePHYs: LEPHYSet?
  var channels = LEChannelMap.all
  var isFlowControlled = false
  /// The number of free ACL data buffers of the host.
  var freeBuffers = Int.max / 2
  var transmitCompensation: Int16 = 0
  var receiveCompensation: Int16 = 0
  /// Generated at the host's request, for one pairing at a time.
  var keyPair: P256PrivateKey?
}
