import BLEAdapter
import BLECore
import BLEWire

/// The receiving half of a channel: the SDU being received, the octets not yet read, and the credits granted to the peer.
///
/// Unread octets and the frames that the peer may send never exceed the window together, whatever the frames' sizes.
struct L2CAPChannelIntake {
  private let window: Int
  private let frameLength: Int
  private let sduLimit: Int
  /// The smallest number of credits granted at a time, to save packets.
  private let batch: Int
  /// Octets of the current SDU that have not been received.
  private var missing = 0
  private(set) var unread = 0
  private(set) var grantedCredits: Int

  init(_ parameters: L2CAPChannelParameters) {
    frameLength = Int(parameters.maximumPayloadSize)
    sduLimit = Int(parameters.maximumTransmissionUnit)
    grantedCredits = parameters.credits
    window = max(parameters.window, frameLength)
    batch = max(1, parameters.credits / 4)
  }

  /// Returns the data octets of a received frame, or the peer's violation.
  mutating func take(_ frame: ArraySlice<UInt8>) -> Result<ArraySlice<UInt8>, Violation> {
    guard grantedCredits > 0 else { return .failure(Violation("a frame without a credit")) }
    grantedCredits -= 1
    var octets = frame
    if missing == 0 {
      var reader = ByteReader(frame, layer: "L2CAP")
      guard let first = try? L2CAPFirstKFrame(from: &reader) else {
        return .failure(Violation("a frame without the length of its SDU"))
      }
      guard first.sduLength <= sduLimit else {
        return .failure(Violation("an SDU of \(first.sduLength) octets, longer than the MTU"))
      }
      missing = Int(first.sduLength)
      octets = first.informationPayload
    }
    guard octets.count <= missing else { return .failure(Violation("more octets than the SDU has")) }
    missing -= octets.count
    unread += octets.count
    return .success(octets)
  }

  mutating func consume(_ count: Int) { unread -= min(max(0, count), unread) }

  /// Returns the number of credits to grant to the peer now, and counts them as granted.
  mutating func takeGrant() -> Int {
    let free = (window - unread) / frameLength - grantedCredits
    guard free >= batch else { return 0 }
    grantedCredits += free
    return free
  }

  struct Violation: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }
}

extension L2CAPChannel {
  func receive(_ frame: ArraySlice<UInt8>) {
    guard state == .open || state == .draining else { return }
    switch incoming.take(frame) {
    case .failure(let violation): closeAfterViolation(violation.text)
    case .success(let octets):
      if !octets.isEmpty {
        if let events, state == .open {
          events.channel(self, didReceive: octets)
        } else {
          // The application has stopped reading. Credits are still granted, because the peer may have to finish sending before
          // it reads what this side is draining.
          incoming.consume(octets.count)
        }
      }
      grant()
    }
  }

  public func consume(_ count: Int) {
    incoming.consume(count)
    grant()
  }

  private func grant() {
    guard let link, state == .open || state == .draining else { return }
    let credits = incoming.takeGrant()
    if credits > 0 { link.sendCredits(UInt16(clamping: credits), for: self) }
  }
}
