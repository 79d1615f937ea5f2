import BLECore
import BLEWire

/// One packet on the air, as a sniffer that receives every packet records it.
public struct AirFrame: Sendable, Equatable {
  /// The start of its transmission, on the loop's clock.
  public let time: StackInstant
  /// The channel index of the link layer: 0 to 36 for data, 37 to 39 for advertising.
  public let channel: UInt8
  /// The PHY.
  public let phy: LEPHY
  /// The access address, by which receivers recognize the link or advertising.
  public let accessAddress: UInt32
  /// Header and payload; without preamble and CRC.
  public let octets: [UInt8]
  /// The RSSI at the receiver, in dBm.
  public let signal: Int8
  /// False if the packet was lost.
  public let wasReceived: Bool
}

/// Observes all packets of an air, in the order in which they are simulated.
public protocol AirTap: AnyObject {
  /// Called on the loop.
  func air(_ air: Air, carried frame: AirFrame)
}

/// The duration of packets (Core, Vol 6 Part B 2.1, 2.2): preamble, access address, header, payload and CRC.
enum AirTime {
  /// T_IFS: the time between the packets of an exchange.
  static let interFrameSpace = StackDuration.microseconds(150)

  /// The duration of a whole packet with `count` octets of payload.
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
