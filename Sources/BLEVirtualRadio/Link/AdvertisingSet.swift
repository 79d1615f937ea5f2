import BLECore
import BLEWire

/// The parameters of an advertising set, from either kind of commands.
struct AdvertisingParameters {
  var interval: StackDuration
  var isConnectable: Bool
  var isScannable: Bool
  var isDirected = false
  var isHighDuty = false
  var isLegacy = true
  var isAnonymous = false
  var includesTransmitPower = false
  var channels = LEPrimaryChannels.all
  var ownAddressType: LEOwnAddressType
  var peer: HCIAddress
  var filterPolicy: LEAdvertisingFilterPolicy
  var primaryPHY = LEPHY.le1M
  var secondaryPHY = LEPHY.le1M
  var setIdentifier: UInt8 = 0
  var reportsScanRequests = false
}

/// An advertising set as configured by the host; the legacy commands have one of their own.
final class AdvertisingSet {
  let handle: LEAdvertisingHandle
  /// Made by the legacy commands: its end is reported by other events.
  let isLegacyCommand: Bool
  var parameters: AdvertisingParameters
  var randomAddress: DeviceAddress?
  var data: [UInt8] = []
  var scanData: [UInt8] = []
  /// Received fragments of data that is not complete.
  var dataInProgress: [UInt8]?
  var scanDataInProgress: [UInt8]?
  var dataIdentifier: UInt16 = 0
  var advertiser: LinkLayerAdvertiser?

  init(handle: LEAdvertisingHandle, isLegacyCommand: Bool, parameters: AdvertisingParameters) {
    self.handle = handle
    self.isLegacyCommand = isLegacyCommand
    self.parameters = parameters
  }

  func makeOffer(
    source: any AdvertisingSource, address: DeviceAddress, target: DeviceAddress?, transmitPower: Int8
  ) -> AdvertisingOffer {
    AdvertisingOffer(
      source: source, advertiser: parameters.isAnonymous ? nil : address,
      target: target, isConnectable: parameters.isConnectable,
      isScannable: parameters.isScannable, channels: parameters.channels, primaryPHY: parameters.primaryPHY,
      secondary: parameters.isLegacy
        ? nil
        : .init(
          phy: parameters.secondaryPHY, setIdentifier: parameters.setIdentifier, dataIdentifier: dataIdentifier),
      transmitPower: parameters.includesTransmitPower ? transmitPower : 127, data: data, scanData: scanData)
  }
}
