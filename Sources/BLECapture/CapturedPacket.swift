import BLECore
import BLEWire

/// The time of a packet: nanoseconds since the beginning of 1970, UTC.
public struct CaptureTimestamp: Hashable, Comparable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The origin of simulated time in a capture: midnight of 1 January 2000. The same run gives the same octets.
  public static let virtualOrigin = CaptureTimestamp(nanoseconds: 946_684_800_000_000_000)

  /// The time of `instant` on a loop whose time begins at `origin`.
  public init(_ instant: StackInstant, origin: CaptureTimestamp) {
    nanoseconds = origin.nanoseconds &+ instant.nanoseconds
  }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The direction of an HCI packet.
public enum CaptureDirection: UInt8, Sendable {
  /// From the host to its controller.
  case sent = 0
  /// From the controller to its host.
  case received = 1
}

/// One packet of a capture.
public struct CapturedPacket: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    case hci(HCIPacket, CaptureDirection)
    case air(AirPacket)
    /// A packet that the reader does not decode: its link type and its octets.
    case other(linkType: UInt32, octets: [UInt8])
  }

  public var timestamp: CaptureTimestamp
  /// The number of the capture's interface: a controller, or a device of a world. Zero if a file has only one.
  public var interface: Int
  public var content: Content
  /// Whether the file contains only the beginning of the packet.
  public var isCut: Bool

  public init(timestamp: CaptureTimestamp, interface: Int = 0, content: Content, isCut: Bool = false) {
    self.timestamp = timestamp
    self.interface = interface
    self.content = content
    self.isCut = isCut
  }
}

/// Why a capture cannot be written or read, with the position in the file and what was expected.
public struct CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// The file cannot be opened, read or written.
    case file
    /// The file has none of the known formats.
    case unknownFormat
    /// The file ends in the middle of a record.
    case truncated
    /// A field of the file contradicts another, or is out of range.
    case malformed
  }

  public let kind: Kind
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
