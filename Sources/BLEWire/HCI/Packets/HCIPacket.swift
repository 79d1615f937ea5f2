/// What a packet between host and controller is; the raw value is H4's packet indicator (Core, Vol 4 Part A 2).
public enum HCIPacketKind: UInt8, Sendable, CaseIterable {
  case command = 0x01
  case aclData = 0x02
  case synchronousData = 0x03
  case event = 0x04
  case isochronousData = 0x05
}

/// A whole HCI packet: its kind and its octets from the HCI header on, without H4's indicator.
public struct HCIPacket: Equatable, Sendable {
  public let kind: HCIPacketKind
  public let octets: [UInt8]

  public init(kind: HCIPacketKind, octets: [UInt8]) {
    self.kind = kind
    self.octets = octets
  }
}

/// Which way a packet goes between host and controller.
public enum HCIDirection: Sendable {
  case toController
  case toHost
}
