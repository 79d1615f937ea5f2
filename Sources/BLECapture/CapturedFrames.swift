import BLECore
import BLEWire

/// Puts the L2CAP frames of captured links together from their pieces, in bounded memory.
public struct CapturedFrames {
  /// A link of one of a capture's controllers.
  public struct Link: Hashable, Sendable {
    public let interface: Int
    public let handle: ConnectionHandle

    public init(interface: Int, handle: ConnectionHandle) {
      self.interface = interface
      self.handle = handle
    }
  }

  /// The result of a piece of a frame.
  public enum Piece {
    /// It was the last of a frame: the frame's header, and what follows that.
    case frame(L2CAPHeader, ArraySlice<UInt8>)
    /// More pieces follow.
    case incomplete(have: Int, of: Int)
    /// The beginning is missing, or the pieces are longer than the frame.
    case stray
  }

  /// A frame whose beginning was captured.
  private struct Partial {
    var octets: [UInt8]
    let length: Int
  }

  /// The limit for links with incomplete frames. At the limit all of these are dropped.
  private static let partialLimit = 64

  private var partials: [Link: [CaptureDirection: Partial]] = [:]

  public init() {}

  /// The link has ended: its incomplete frames are dropped.
  public mutating func forget(_ link: Link) { partials[link] = nil }

  /// Adds the next piece of a link in one direction.
  public mutating func add(_ data: HCIACLPacket, of link: Link, _ direction: CaptureDirection) -> Piece {
    var partial: Partial
    if data.boundary == .continuing {
      guard let begun = partials[link]?[direction] else { return .stray }
      partial = begun
      partial.octets.append(contentsOf: data.payload)
    } else {
      var reader = ByteReader(data.payload, layer: "L2CAP")
      guard let header = try? L2CAPHeader(from: &reader) else { return .stray }
      let length = Int(header.length) + L2CAPHeader.octetCount
      // The usual case: a whole frame, and no state is kept.
      if data.payload.count == length {
        partials[link]?[direction] = nil
        return .frame(header, reader.rest())
      }
      partial = Partial(octets: Array(data.payload), length: length)
    }
    if partial.octets.count > partial.length {
      partials[link]?[direction] = nil
      return .stray
    }
    if partial.octets.count < partial.length {
      if partials.count >= Self.partialLimit, partials[link] == nil { partials.removeAll() }
      partials[link, default: [:]][direction] = partial
      return .incomplete(have: partial.octets.count, of: partial.length)
    }
    partials[link]?[direction] = nil
    var reader = ByteReader(partial.octets, layer: "L2CAP")
    guard let header = try? L2CAPHeader(from: &reader) else { return .stray }
    return .frame(header, reader.rest())
  }
}
