import Foundation

/// Takes frames out of what a device sends, however it is cut into notifications.
///
/// After something that is no frame it looks for the next one: it drops the first octet and tries again from the next place where a
/// frame may begin. It never holds more than one frame of the longest kind and what came last.
public struct FrameParser: Sendable {
  /// What was found.
  public enum Finding: Sendable, Hashable {
    /// A frame that is whole and whose check is right.
    case frame(Frame)
    /// Octets that belong to no frame, and why the frame that seemed to begin there was none.
    case rejected(Data, Reason)
  }

  /// Why octets are no frame.
  public enum Reason: Sendable, Hashable {
    /// No frame begins here.
    case noStart
    /// The length field says what cannot be.
    case length(Int)
    /// Its end does not stand where the length says.
    case endMarker
    /// The check is another one.
    case check(expected: Data, found: Data)
    /// Given up by ``FrameParser/reset()``.
    case incomplete
  }

  /// What frames look like.
  public let format: FrameFormat
  private var buffer: [UInt8] = []
  private let start: [UInt8]
  private let end: [UInt8]

  /// A parser that has seen nothing yet.
  public init(format: FrameFormat) {
    self.format = format
    start = Array(format.start)
    end = Array(format.end)
  }

  /// Octets of a frame that is not complete yet.
  public var pending: Int { buffer.count }

  /// Takes the next octets; gives what they completed, in their order.
  ///
  /// Where the format has neither a length nor an end marker, what is given in one call is one frame.
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

  /// Gives up a frame that has not come to its end: after silence, or on a new connection.
  public mutating func reset() -> Finding? {
    guard !buffer.isEmpty else { return nil }
    defer { buffer.removeAll(keepingCapacity: true) }
    return .rejected(Data(buffer), .incomplete)
  }

  /// Octets that are dropped one by one are reported together, with the first one's reason.
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

  /// What begins with the first of `octets`.
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
    return prove(octets.prefix(length), frame: &frame, payload: payload)
  }

  /// Octets of payload where no field says how many: up to the end marker, or all there is. `nil` if the marker has not come yet.
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

  private func prove(_ octets: ArraySlice<UInt8>, frame: inout Frame, payload: Int) -> Look {
    guard octets.suffix(end.count).elementsEqual(end) else { return .nothing(.endMarker) }
    let proven = octets.prefix(format.headerLength + payload)
    if let check = format.check {
      let found = Data(octets[proven.endIndex..<(octets.endIndex - end.count)])
      let expected = check.octets(of: format.covered(by: check, in: proven, payload: payload))
      guard expected == found else { return .nothing(.check(expected: expected, found: found)) }
    }
    frame.payload = Data(proven.suffix(payload))
    return .frame(frame, length: octets.count)
  }
}
