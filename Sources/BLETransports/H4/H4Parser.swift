import BLECore
import BLEWire

/// Finds HCI packets in a stream of octets: each is preceded by its indicator (Core, Vol 4 Part A 2).
///
/// The stream may be split anywhere. Memory is allocated only for received octets, never for a claimed length, and at most for
/// one packet. A stream in which an indicator is missing is lost: H4 has no mark by which to find the next packet, and the
/// specification requires a reset.
public struct H4Parser: Sendable {
  /// The reason why a stream is lost.
  public struct Desynchronized: Error, Equatable, Sendable, CustomStringConvertible {
    /// The octet in place of an indicator.
    public let octet: UInt8
    public init(octet: UInt8) { self.octet = octet }
    public var description: String { "\(numberText(octet, digits: 2)) is no packet indicator of H4" }
  }

  private let direction: HCIDirection
  private var kind: HCIPacketKind?
  /// The incomplete packet, without its indicator.
  private var packet: [UInt8] = []
  private var lost: Desynchronized?

  /// - Parameter direction: the direction of the packets: commands are only sent to a controller, events only to a host.
  public init(_ direction: HCIDirection) { self.direction = direction }

  /// The number of octets of an incomplete packet.
  public var pendingCount: Int { packet.count }

  /// Parses received octets and passes on complete packets.
  ///
  /// - Throws: if the stream is lost, and for all later octets too.
  public mutating func feed(
    _ octets: ArraySlice<UInt8>, _ receive: (HCIPacket) -> Void
  ) throws(Desynchronized) {
    if let lost { throw lost }
    var rest = octets
    while let first = rest.first {
      if kind == nil {
        guard let begun = HCIPacketKind(rawValue: first), begun.goes(direction) else {
          let error = Desynchronized(octet: first)
          lost = error
          packet = []
          throw error
        }
        kind = begun
        rest = rest.dropFirst()
      }
      if let whole = take(&rest) { receive(whole) }
    }
  }

  /// Moves octets from `rest` to the packet; returns the packet if it is complete.
  private mutating func take(_ rest: inout ArraySlice<UInt8>) -> HCIPacket? {
    guard let kind else { return nil }
    if packet.count < kind.headerLength {
      move(kind.headerLength, from: &rest)
      guard packet.count == kind.headerLength else { return nil }
    }
    move(kind.headerLength + kind.payloadLength(packet), from: &rest)
    guard packet.count == kind.headerLength + kind.payloadLength(packet) else { return nil }
    var whole: [UInt8] = []
    swap(&whole, &packet)
    self.kind = nil
    return HCIPacket(kind: kind, octets: whole)
  }

  /// Fills the packet up to `count` octets, as far as octets are available.
  private mutating func move(_ count: Int, from rest: inout ArraySlice<UInt8>) {
    let moved = rest.prefix(count - packet.count)
    packet.append(contentsOf: moved)
    rest = rest[moved.endIndex...]
  }
}

extension HCIPacketKind {
  fileprivate func goes(_ direction: HCIDirection) -> Bool {
    switch self {
    case .command: direction == .toController
    case .event: direction == .toHost
    case .aclData, .synchronousData, .isochronousData: true
    }
  }

  fileprivate var headerLength: Int {
    switch self {
    case .event: 2
    case .command, .synchronousData: 3
    case .aclData, .isochronousData: 4
    }
  }

  /// The length in the header, which is complete.
  fileprivate func payloadLength(_ packet: [UInt8]) -> Int {
    switch self {
    case .event: Int(packet[1])
    case .command, .synchronousData: Int(packet[2])
    case .aclData: Int(packet[2]) | Int(packet[3]) << 8
    // The two upper bits are reserved (Core, Vol 4 Part E 5.4.5).
    case .isochronousData: (Int(packet[2]) | Int(packet[3]) << 8) & 0x3FFF
    }
  }
}
