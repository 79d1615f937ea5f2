internal import BLEAdapter

/// The updates of a peripheral manager on their way from its program to its session, and how many there may be.
final class UpdateWindow: Sendable {
  /// Where an update goes; `centrals`: `nil` for all that are subscribed.
  struct Destination: Sendable {
    let characteristic: LocalCharacteristicIdentifier
    let centrals: [PeerIdentifier]?
  }

  let places = SendWindow()
  let batches = ValueBatches<Destination>()
}
