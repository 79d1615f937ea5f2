import Foundation

/// Extracts frames from a device's notifications, whatever their boundaries.
///
/// After octets that are not a frame it resynchronises: it drops the first octet and tries again from the next one. It buffers at most
/// one frame of the maximum length and the octets of the last call.
public struct FrameParser: Sendable {
  /// The result of parsing.
  public enum Finding: Sendable, Hashable {
    /// A complete frame with a correct check.
    case frame(Frame)
    /// Octets that belong to no frame, and why the first of them do not begin one.
    case rejected(Data, Reason)
  }

  /// Why octets are not a frame.
  public enum Reason: Sendable, Hashable {
    /// The octets do not begin with the start marker.
    case noStart
    /// The length field has an impossible value.
    case length(Int)
    /// The end marker is missing at the position that the length requires.
    case endMarker
    /// The check does not match.
    case check(expected: Data, found: Data)
    /// The frame was incomplete at ``FrameParser/reset()``.
    case incomplete
  }

  /// The layout of the frames.
  public let format: FrameFormat
  private var buffer: [UInt8] = []
  private let start: [UInt8]
  private let end: [UInt8]

  /// Creates a parser with an empty buffer.
  public init(format: FrameFormat) {
    self.format = format
    start = Array(format.start)
    end = Array(format.end)
  }

  /// The buffered octets of an incomplete frame.
  public var pending: Int { buffer.count }

  /// Parses the next octets and returns the completed frames and rejected octets, in their order.
  ///
  /// If the format has neither a length field nor an end marker, the octets of one call are one frame.
  public mutating func append(_ octets: some Sequence<UInt8>) -> [Finding] {
    buffer.append(contentsOf: octets)
    var findings: [Finding] = []
    var rejected = Rejection()
    var position = 0
    scan: while position < buffer.count {
      switch look(at: buffer[position...]) {
      case .more:
        break scan
      case .frame(let frame, let length):
        rejected.flush(into: &findings)
        findings.append(.frame(frame))
        position += length
      case .nothing(let reason):
        rejected.append(buffer[position], reason)
        position += 1
      }
    }
    rejected.flush(into: &findings)
    buffer.removeFirst(position)
    return findings
  }

  /// Discards an incomplete frame, after a timeout or on a new connection, and returns its octets as rejected.
  public mutating func reset() -> Finding? {
    guard !buffer.isEmpty else { return nil }
    defer { buffer.removeAll(keepingCapacity: true) }
    return .rejected(Data(buffer), .incomplete)
  }

  /// Consecutive rejected octets, reported together with the reason of the first one.
  private struct Rejection {
    private var octets = Data()
    private var reason = Reason.noStart

    mutating func append(_ octet: UInt8, _ reason: Reason) {
      if octets.isEmpty { self.reason = reason }
      octets.append(octet)
    }

    mutating func flush(into findings: inout [Finding]) {
      guard !octets.isEmpty else { return }
      findings.append(.rejected(octets, reason))
      octets = Data()
    }
  }

  private enum Look {
    case more
    case frame(Frame, length: Int)
    case nothing(Reason)
  }

  /// Parses a frame that begins with the first of `octets`.
  private func look(at octets: ArraySlice<UInt8>) -> Look {
    guard octets.starts(with: start.prefix(octets.count)) else { return .nothing(.noStart) }
    guard octets.count >= format.headerLength else { return .more }
    var frame = Frame()
    var saidLength: Int?
    var position = octets.startIndex + start.count
    for field in format.fields {
      let value = UInt32(octets: octets[position..<position + field.width], order: field.order) ?? 0
      position += field.width
      switch field.meaning {
      case .type: frame.type = value
      case .sequence: frame.sequence = value
      case .length: saidLength = Int(value)
      }
    }
    let payload: Int
    if let saidLength {
      payload = saidLength - format.lengthOverhead
      guard payload >= 0, payload <= format.maximumPayload else { return .nothing(.length(saidLength)) }
    } else if let found = payloadUntilEnd(octets[position...]) {
      payload = found
      guard payload >= 0, payload <= format.maximumPayload else { return .nothing(.length(payload)) }
    } else {
      let longest = format.headerLength + format.maximumPayload + format.trailerLength
      return octets.count >= longest ? .nothing(.endMarker) : .more
    }
    let length = format.headerLength + payload + format.trailerLength
    guard octets.count >= length else { return .more }
    return verify(octets.prefix(length), frame: &frame, payload: payload)
  }

  /// The payload length without a length field: up to the end marker, or all octets. `nil` if the marker was not received yet.
  private func payloadUntilEnd(_ octets: ArraySlice<UInt8>) -> Int? {
    let checkWidth = format.check?.width ?? 0
    guard let first = end.first else { return octets.count - checkWidth }
    var position = octets.startIndex + checkWidth
    while position + end.count <= octets.endIndex {
      if octets[position] == first, octets[position...].starts(with: end) {
        return position - octets.startIndex - checkWidth
      }
      position += 1
    }
    return nil
  }

  private func verify(_ octets: ArraySlice<UInt8>, frame: inout Frame, payload: Int) -> Look {
    guard octets.suffix(end.count).elementsEqual(end) else { return .nothing(.endMarker) }
    let checked = octets.prefix(format.headerLength + payload)
    if let check = format.check {
      let found = Data(octets[checked.endIndex..<(octets.endIndex - end.count)])
      let expected = check.octets(of: format.covered(by: check, in: checked, payload: payload))
      guard expected == found else { return .nothing(.check(expected: expected, found: found)) }
    }
    frame.payload = Data(checked.suffix(payload))
    return .frame(frame, length: octets.count)
  }
}
