import BLECore
import BLEWire

/// The properties of a software controller: its sizes, features and quirks.
public struct ControllerConfiguration: Sendable {
  /// The name of the transport in messages.
  public var name = "radio"
  /// The transmit power in dBm.
  public var transmitPower: Int8 = 0
  /// The length of the longest ACL packet from the host, 27 to 251 octets.
  public var aclPacketLength: UInt16 = 251
  /// The number of ACL buffers.
  public var aclPacketCount: UInt8 = 12
  /// The maximum number of connections.
  public var connectionLimit = 256
  /// The number of entries of the filter accept list.
  public var acceptListSize: UInt8 = 64
  /// The number of entries of the resolving list.
  public var resolvingListSize: UInt8 = 32
  /// The maximum number of advertising sets.
  public var advertisingSetLimit: UInt8 = 16
  /// The maximum length of extended advertising data in octets, 31 to 1650.
  public var advertisingDataLimit: UInt16 = 1_650
  /// Extended advertising, scanning and connecting, of version 5.0.
  public var supportsExtendedAdvertising = true
  /// Packets of up to 251 octets, of version 4.2.
  public var supportsDataLengthExtension = true
  /// LE 2M and LE Coded in addition to LE 1M.
  public var supportsFurtherPHYs = true
  /// Resolving private addresses of peers, and generating its own.
  public var supportsResolvingList = true
  /// All its activities share the time of one radio: while one is on the air no other is. Without it links, advertising and
  /// scanning do not get in each other's way.
  public var sharesRadioTime = false
  /// As the central it leaves out data channels on which interferers spoil packets. Without interferers it has no effect.
  public var adaptsChannelMap = true
  /// The time from a command to its response.
  public var commandDelay = StackDuration.microseconds(50)
  /// The deviations from a controller without faults.
  public var quirks: ControllerQuirks = []

  public init() {}

  /// The defaults with some quirks.
  public init(quirks: ControllerQuirks) {
    self.quirks = quirks
    if quirks.contains(.slowCommands) { commandDelay = .milliseconds(400) }
    if quirks.contains(.fourBuffers) {
      aclPacketCount = 4
      aclPacketLength = 27
    }
    if quirks.contains(.noExtendedAdvertising) { supportsExtendedAdvertising = false }
    if quirks.contains(.noResolvingList) { supportsResolvingList = false }
  }
}

/// Deviations of real controllers that a host has to cope with.
public struct ControllerQuirks: OptionSet, Hashable, Codable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Each command is answered after 400 ms.
  public static let slowCommands = Self(rawValue: 1 << 0)
  /// One of sixteen ACL data packets is sent, but never reported as completed.
  public static let missingCompletedPackets = Self(rawValue: 1 << 1)
  /// The first data of a link reaches the host before the event of the connection.
  public static let dataBeforeConnectionComplete = Self(rawValue: 1 << 2)
  /// The hardware fails 100 ms after the first connection.
  public static let hardwareError = Self(rawValue: 1 << 3)
  /// Four buffers of 27 octets.
  public static let fourBuffers = Self(rawValue: 1 << 4)
  /// As before version 5.0: legacy advertising only.
  public static let noExtendedAdvertising = Self(rawValue: 1 << 5)
  /// The host has to generate and resolve private addresses.
  public static let noResolvingList = Self(rawValue: 1 << 6)
  /// The first data of a link after the start of encryption reaches the host before the event of the encryption.
  public static let dataBeforeEncryptionChange = Self(rawValue: 1 << 7)
  /// It cannot scan and initiate a connection at the same time.
  public static let scanExcludesInitiating = Self(rawValue: 1 << 8)
}

/// Faults that a radio does not cause. Bluetooth never loses a packet of a connection that continues: a test that needs such a
/// loss requests it with one of these.
public enum ControllerFault: Hashable, Sendable {
  /// The next ACL data packets for the host are lost, although the peer's controller has received their acknowledgement.
  case loseDataToHost(packets: Int)
  /// The next ACL data packets from the host are lost, although they are reported as completed.
  case loseDataFromHost(packets: Int)
  /// The next commands are neither executed nor answered.
  case ignoreCommands(count: Int)
  /// The next commands with this opcode are refused with this error code (Core, Vol 1 Part F).
  case refuseCommands(opcode: UInt16, error: UInt8, count: Int)
  /// The next encrypted packets are modified on the air, with a valid CRC, as by an attacker. The message integrity check of the
  /// first ends the connection.
  case spoilEncryptedPackets(count: Int)
  /// From now on it sends nothing to its host, while its radio continues.
  case hang
}
