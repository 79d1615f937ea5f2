import BLECore
import BLEWire

/// Puts the frames of one link together from their fragments (Core, Vol 3 Part A 7.2.2).
///
/// A frame that came in one piece is handed on in place. What a peer may make this keep is bounded by the limits of its
/// channels: octets beyond are counted, not kept.
struct L2CAPReassembly {
  enum Outcome {
    case incomplete
    case frame(ChannelIdentifier, ArraySlice<UInt8>)
    /// The fragment fits no frame.
    case broken
    /// A frame that announces more than its channel takes has ended.
    case oversized(ChannelIdentifier)
  }

  /// The header and what came behind it; empty while no frame is under way.
  private var buffer: [UInt8] = []
  /// Octets of the whole frame under way, header included; 0 while the header is not complete.
  private var wanted = 0
  /// Octets that came of a frame whose octets are not kept; `nil` for one that is kept.
  private var skipped: Int?
  private var channel = ChannelIdentifier(0)
  private var isUnderWay = false
  private var hasBrokenPredecessor = false
  /// The beginning of the payload of the last oversized frame.
  private(set) var oversizedStart: ArraySlice<UInt8> = []

  /// - Parameter limit: the longest payload of a channel; `nil` for a channel that nobody serves.
  mutating func add(
    _ fragment: ArraySlice<UInt8>, isFirst: Bool, limit: (ChannelIdentifier) -> Int?
  ) -> Outcome {
    if isFirst {
      if isUnderWay {
        hasBrokenPredecessor = true
        reset()
      }
      return begin(fragment, limit: limit)
    }
    guard isUnderWay else { return .broken }
    return goOn(fragment, limit: limit)
  }

  /// Whether the beginning of a frame has cut off the one before it; forgets it.
  mutating func takeBrokenPredecessor() -> Bool {
    defer { hasBrokenPredecessor = false }
    return hasBrokenPredecessor
  }

  private mutating func begin(_ fragment: ArraySlice<UInt8>, limit: (ChannelIdentifier) -> Int?) -> Outcome {
    guard !fragment.isEmpty else { return .broken }
    var reader = ByteReader(fragment, layer: "L2CAP")
    guard let header = try? L2CAPHeader(from: &reader) else {
      // A header may itself be cut: a controller is free to do so, and some do.
      isUnderWay = true
      buffer.append(contentsOf: fragment)
      return .incomplete
    }
    let payload = reader.rest()
    let length = Int(header.length)
    // A channel that nobody serves: whole frames are counted as such by the link, longer ones are not kept.
    let allowed = limit(header.channel)
    if payload.count > length { return .broken }
    if payload.count == length {
      if let allowed, length > allowed {
        oversizedStart = payload.prefix(L2CAPHeader.octetCount)
        return .oversized(header.channel)
      }
      return .frame(header.channel, payload)
    }
    isUnderWay = true
    channel = header.channel
    wanted = L2CAPHeader.octetCount + length
    if length > allowed ?? 0 {
      oversizedStart = payload.prefix(L2CAPHeader.octetCount)
      skipped = fragment.count
    } else {
      buffer.reserveCapacity(wanted)
      buffer.append(contentsOf: fragment)
    }
    return .incomplete
  }

  private mutating func goOn(_ fragment: ArraySlice<UInt8>, limit: (ChannelIdentifier) -> Int?) -> Outcome {
    if wanted == 0 {
      // The header was cut: what there is now begins the frame anew.
      let joined = buffer + fragment
      reset()
      return begin(joined[...], limit: limit)
    }
    if let already = skipped {
      let count = already + fragment.count
      if count < wanted {
        skipped = count
        return .incomplete
      }
      defer { reset() }
      if count > wanted { return .broken }
      return limit(channel) == nil ? .frame(channel, []) : .oversized(channel)
    }
    guard buffer.count + fragment.count <= wanted else {
      reset()
      return .broken
    }
    buffer.append(contentsOf: fragment)
    if buffer.count < wanted { return .incomplete }
    let payload = buffer[L2CAPHeader.octetCount...]
    reset()
    return .frame(channel, payload)
  }

  private mutating func reset() {
    // The storage goes away with the frame: whoever got a slice of it may keep it.
    buffer = []
    wanted = 0
    skipped = nil
    isUnderWay = false
  }
}
