import BLECore
import BLEWire

/// Reassembles the frames of one link from their fragments (Core, Vol 3 Part A 7.2.2).
///
/// A frame of one fragment is passed on without a copy. The memory that a peer can use is bounded by the limits of its
/// channels: octets of longer frames are counted, not stored.
///
/// A class for the same reason as `HCILink`'s properties are its own.
final class L2CAPReassembly {
  enum Outcome {
    case incomplete
    case frame(ChannelIdentifier, ArraySlice<UInt8>)
    /// The fragment belongs to no frame, or does not fit its frame.
    case broken
    /// The end of a frame longer than its channel accepts.
    case oversized(ChannelIdentifier)
  }

  /// The header and the octets received after it; empty between frames.
  private var buffer: [UInt8] = []
  /// The length of the current frame in octets, header included; 0 until the header is complete.
  private var wanted = 0
  /// Octets received of a frame that is not stored; `nil` for one that is.
  private var skipped: Int?
  private var channel = ChannelIdentifier(0)
  private var isUnderWay = false
  private var hasBrokenPredecessor = false
  /// The beginning of the payload of the last oversized frame.
  private(set) var oversizedStart: ArraySlice<UInt8> = []

  /// - Parameter limit: returns the longest payload of a channel; `nil` for one that is not open.
  func add(
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
    return resume(fragment, limit: limit)
  }

  /// Returns whether the start of a frame cut off the one before it, and resets that.
  func takeBrokenPredecessor() -> Bool {
    defer { hasBrokenPredecessor = false }
    return hasBrokenPredecessor
  }

  private func begin(_ fragment: ArraySlice<UInt8>, limit: (ChannelIdentifier) -> Int?) -> Outcome {
    guard !fragment.isEmpty else { return .broken }
    var reader = ByteReader(fragment, layer: "L2CAP")
    guard let header = try? L2CAPHeader(from: &reader) else {
      // The header itself may be fragmented: a controller may do so, and some do.
      isUnderWay = true
      buffer = Array(fragment)
      return .incomplete
    }
    let payload = reader.rest()
    let length = Int(header.length)
    // For a channel that is not open, the link counts complete frames; fragmented ones are not stored.
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
      var frame: [UInt8] = []
      frame.reserveCapacity(wanted)
      frame.append(contentsOf: fragment)
      buffer = frame
    }
    return .incomplete
  }

  private func resume(_ fragment: ArraySlice<UInt8>, limit: (ChannelIdentifier) -> Int?) -> Outcome {
    if wanted == 0 {
      // The header was fragmented: parse the joined octets as the start of a frame.
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
    // Taken out, so that no access to the property lasts while it grows.
    var frame = buffer
    buffer = []
    guard frame.count + fragment.count <= wanted else {
      reset()
      return .broken
    }
    frame.append(contentsOf: fragment)
    if frame.count < wanted {
      buffer = frame
      return .incomplete
    }
    reset()
    return .frame(channel, frame[L2CAPHeader.octetCount...])
  }

  private func reset() {
    // The storage is released with the frame, because the receiver may keep its slice.
    buffer = []
    wanted = 0
    skipped = nil
    isUnderWay = false
  }
}
