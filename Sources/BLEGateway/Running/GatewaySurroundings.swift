import BLECore
import BLESession
import Foundation

/// What a gateway is given by the program that it runs in.
package struct GatewaySurroundings: Sendable {
  /// The program's version.
  package var version: String
  /// The address of a device, which Core Bluetooth does not tell.
  package var address: @Sendable (UUID) -> DeviceAddress?
  /// For device files with a cipher.
  package var cryptography: (any SessionCryptography)?
  /// The time of day.
  package var now: @Sendable () -> Date = { Date() }
  /// The pauses between attempts to reach the broker.
  package var backOff = ReconnectPolicy.BackOff(first: .milliseconds(500), longest: .seconds(30), jitter: 0.5)

  package init(
    version: String, address: @escaping @Sendable (UUID) -> DeviceAddress? = { _ in nil },
    cryptography: (any SessionCryptography)? = nil
  ) {
    self.version = version
    self.address = address
    self.cryptography = cryptography
  }
}

/// What happens to a gateway, for its program.
package enum GatewayReport: Sendable {
  /// The broker has accepted it.
  case connected(MQTTVersion)
  /// The link to the broker has ended or did not come up; `reason` is the end of a sentence.
  case disconnected(reason: String, retryAfter: Duration)
  /// An event of a device that is kept.
  case device(String, SessionEvent)
  /// A command was taken, or answered.
  case command(device: String, id: String?, outcome: String)
  /// Messages were dropped because the outbox is full.
  case dropped(OutboxLosses)
  /// The outbox cannot be written; what comes in is kept in memory and tried again.
  case notWritten(reason: String)
  /// It can be written again.
  case writtenAgain
  /// So many messages were stored for `collect`.
  case collected(Int)
  /// Old messages of `collect` were deleted.
  case expired(CollectedExpiry)
  /// Messages could not be stored; the broker sends them again.
  case notCollected(reason: String)
  /// So many sensors were announced to Home Assistant, and no other is. Reported once.
  case tooManySensors(most: Int)
  /// The broker does not allow announcements to Home Assistant on this topic.
  case notAnnounced(topic: String)
  /// What happens to the leases of the fleet.
  case lease(LeaseReport)
  /// The broker refuses messages of leases: no device is held until its rights allow them. Told once for each connection.
  case refused(topic: String, code: Int32)
  /// A message was not taken by the broker at any time, and was dropped.
  case unsendable(topic: String)
}
