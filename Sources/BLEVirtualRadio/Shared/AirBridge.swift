import BLECore

/// The connection of an air to the same air in other processes.
protocol AirBridge: AnyObject {
  /// Sends an advertising event that began at `start`; called only while radios in other processes listen.
  func carry(_ offer: AdvertisingOffer, of advertiser: LinkLayerAdvertiser, start: StackInstant)
  /// The number of listeners in this process has changed.
  func localListenersChanged()
}
