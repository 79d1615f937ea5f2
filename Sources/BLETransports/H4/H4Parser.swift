import BLECore
import BLEWire

/// Finds HCI packets in a stream of octets: each has its indicator in front (Core, Vol 4 Part A 2).
///
/// What comes in may be cut anywhere. Room is taken only for octets that are there, never for a length that is claimed, and
/// at most for one packet. A stream that does not begin a packet with an indicator is lost for good: H4 has no mark to
/// find the next packet by, and the specification asks for a reset.
public struct H4Parser: Sendable {
  /// Why a stream is lost.
  public struct Desynchronized: Error, Equatable, Sendable, CustomStringConvertible {
    /// What stood where an indicator should be.
    public let octet: UInt8
    public init(octet: UInt8) { self.octet = octet }
    public var description: String { "\(numberText(octet, digits: 2)) is no packet indicator of H4" }
  }

  private let direction: HCIDirection
  private var kind: HCIPacketKind?
  /// The packet that is coming in, without its indicator.
  private var packet: [UInt8] = []
  private var lost: Desynchronized?

  /// - Parameter direction: which way the packets of the stream go: commands go only to a controller, events only to a host.
  public init(_ direction: HCIDirection) { self.direction = direction }

  /// Octets of a packet that is not whole yet.
  public var pendingCount: Int { packet.count }

  /// Takes in what has come and tells the packets that are whole.
  ///
  /// - Throws: where the stream is lost, also for everything that comes later.
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

  /// Moves octets from `rest` to the packet; gives the packet back if it is whole.
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

  /// Fills the packet up to `count` octets as far as there are any.
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

  /// What the header, which is there, says.
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
