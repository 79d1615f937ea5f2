import BLECore

/// The way from an air to the same air in other processes.
protocol AirBridge: AnyObject {
  /// An advertising event that took place from `start` on; called only while radios elsewhere listen.
  func carry(_ offer: AdvertisingOffer, of advertiser: LinkLayerAdvertiser, start: StackInstant)
  /// The number of listeners in this process has changed.
  func localListenersChanged()
}
