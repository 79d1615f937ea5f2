import BLECore

/// What other transmitters do to packets: interferers, and advertisers that send at the same time.
extension Air {
  /// Whether packets may be lost to other transmitters on the data channels.
  var hasInterference: Bool { interference != nil }

  /// Whether an interferer spoils a packet of this RSSI, in dBm, at a receiver.
  func isSpoiled(
    channel: UInt8, from start: StackInstant, lasting duration: StackDuration, level: Double, at receiver: Station
  ) -> Bool {
    interference?.spoils(
      channel: channel, from: start, lasting: duration, level: level, at: receiver, propagation) ?? false
  }

  /// Whether a packet on a primary advertising channel reaches a receiver in spite of other advertisers and interferers.
  func isClear(
    for offer: AdvertisingOffer, channel: UInt8, from start: StackInstant, level: Double, at node: AirNode
  ) -> Bool {
    if let load {
      let survival = load.survival(of: offer.source, lasting: offer.primaryDuration, level: level, at: node)
      if survival < 1, node.chance.unit() >= survival { return false }
    }
    return !isSpoiled(
      channel: channel, from: start, lasting: offer.primaryDuration, level: level, at: node.station)
  }

  func loadStarted(_ source: any AdvertisingLoadSource) { load?.insert(source) }
  func loadEnded(_ source: any AdvertisingLoadSource) { load?.remove(source) }

  func crowdLeft(_ crowd: Crowd) {
    crowds.removeAll { $0 === crowd }
    rebuildLoad()
  }
}
