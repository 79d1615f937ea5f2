/// What a packet between host and controller is; the raw value is H4's packet indicator (Core, Vol 4 Part A 2).
public enum HCIPacketKind: UInt8, Sendable, CaseIterable {
  case command = 0x01
  case aclData = 0x02
  case synchronousData = 0x03
  case event = 0x04
  case isochronousData = 0x05
}

/// A whole HCI packet: its kind and its octets from the HCI header on, without H4's indicator.
///
/// Data can be a piece of a frame beside the frame's other pieces: then its header is not in memory, and becomes octets where they leave
/// the process or are kept. So a frame is neither copied nor cut where host and controller are in one process.
public struct HCIPacket: Sendable {
  enum Content: Sendable {
    case octets([UInt8])
    case data(HCIACLPacket)
  }

  public let kind: HCIPacketKind
  let content: Content

  public init(kind: HCIPacketKind, octets: [UInt8]) {
    self.kind = kind
    content = .octets(octets)
  }

  /// ACL data of at most 65,535 octets, whose memory is shared.
  public init(_ data: HCIACLPacket) {
    kind = .aclData
    content = .data(data)
  }

  /// The octets, made by each call of data beside the other pieces of its frame.
  public var octets: [UInt8] {
    if case .octets(let octets) = content { return octets }
    var octets: [UInt8] = []
    octets.reserveCapacity(octetCount)
    append(to: &octets)
    return octets
  }

  /// How many octets there are.
  public var octetCount: Int {
    switch content {
    case .octets(let octets): octets.count
    case .data(let data): HCIACLPacket.headerLength + data.payload.count
    }
  }

  /// Appends the octets.
  public func append(to octets: inout [UInt8]) {
    switch content {
    case .octets(let own): octets.append(contentsOf: own)
    case .data(let data):
      for shift in [0, 8, 16, 24] { octets.append(UInt8(truncatingIfNeeded: data.header >> shift)) }
      octets.append(contentsOf: data.payload)
    }
  }
}

extension HCIPacket: Equatable {
  public static func == (one: Self, other: Self) -> Bool { one.kind == other.kind && one.octets == other.octets }
}

/// Which way a packet goes between host and controller.
public enum HCIDirection: Sendable {
  case toController
  case toHost
}
