import BLECore
import BLEWire

/// One packet on the air, as a sniffer that hears everything would see it.
public struct AirFrame: Sendable, Equatable {
  /// When its transmission began, on the loop's clock.
  public let time: StackInstant
  /// The radio frequency channel as the link layer counts: 0 to 36 for data, 37 to 39 for advertising.
  public let channel: UInt8
  /// What it is modulated with.
  public let phy: LEPHY
  /// By this receivers know what a packet belongs to.
  public let accessAddress: UInt32
  /// Header and payload; without preamble and CRC.
  public let octets: [UInt8]
  /// At the receiver, in dBm.
  public let signal: Int8
  /// False where the receiver could not read it.
  public let wasReceived: Bool
}

/// Hears all packets of an air, in the order in which they are played out.
public protocol AirTap: AnyObject {
  /// On the loop.
  func air(_ air: Air, carried frame: AirFrame)
}

/// How long packets take (Core, Vol 6 Part B 2.1, 2.2): preamble, access address, header, payload and CRC.
enum AirTime {
  /// T_IFS: between the packets of an exchange.
  static let interFrameSpace = StackDuration.microseconds(150)

  /// The whole packet with `count` octets of payload.
  static func packet(_ count: Int, _ phy: LEPHY) -> StackDuration {
    .microseconds(microseconds(count, phy))
  }

  static func microseconds(_ count: Int, _ phy: LEPHY) -> Int64 {
    switch phy {
    case .le2M: Int64(count + 11) * 4
    case .leCoded: 400 + Int64(count + 5) * 64
    default: Int64(count + 10) * 8
    }
  }
}
