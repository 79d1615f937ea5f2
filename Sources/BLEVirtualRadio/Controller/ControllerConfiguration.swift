import BLECore
import BLEWire

/// What a software controller is like: its sizes, its features, its peculiarities.
public struct ControllerConfiguration: Sendable {
  /// What the transport is called in messages.
  public var name = "radio"
  /// In dBm.
  public var transmitPower: Int8 = 0
  /// The longest ACL packet it takes from the host, 27 to 251 octets.
  public var aclPacketLength: UInt16 = 251
  /// How many of them it can hold.
  public var aclPacketCount: UInt8 = 12
  /// How many connections it can hold.
  public var connectionLimit = 256
  /// Entries of the filter accept list.
  public var acceptListSize: UInt8 = 64
  /// Entries of the resolving list.
  public var resolvingListSize: UInt8 = 32
  /// How many advertising sets it can hold.
  public var advertisingSetLimit: UInt8 = 16
  /// The longest extended advertising data in octets, 31 to 1650.
  public var advertisingDataLimit: UInt16 = 1_650
  /// Extended advertising, scanning and connecting, of version 5.0.
  public var supportsExtendedAdvertising = true
  /// Packets of up to 251 octets, of version 4.2.
  public var supportsDataLengthExtension = true
  /// LE 2M and LE Coded beside LE 1M.
  public var supportsFurtherPHYs = true
  /// Resolving the private addresses of peers, and making private addresses of its own.
  public var supportsResolvingList = true
  /// From a command to its answer.
  public var commandDelay = StackDuration.microseconds(50)
  /// What it does differently from a controller without faults.
  public var quirks: ControllerQuirks = []

  public init() {}

  /// The defaults with some peculiarities.
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

/// What controllers in the field do that hosts must live with.
public struct ControllerQuirks: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Each command is answered only after 400 ms.
  public static let slowCommands = Self(rawValue: 1 << 0)
  /// Of sixteen packets of ACL data that were sent one is never reported as completed.
  public static let missingCompletedPackets = Self(rawValue: 1 << 1)
  /// A link's first data comes to the host before the news of the link.
  public static let dataBeforeConnectionComplete = Self(rawValue: 1 << 2)
  /// A tenth of a second after its first connection the hardware fails.
  public static let hardwareError = Self(rawValue: 1 << 3)
  /// Four buffers of 27 octets.
  public static let fourBuffers = Self(rawValue: 1 << 4)
  /// As before version 5.0: legacy advertising only.
  public static let noExtendedAdvertising = Self(rawValue: 1 << 5)
  /// Private addresses are left to the host.
  public static let noResolvingList = Self(rawValue: 1 << 6)
  /// A link's first data after the start of encryption comes to the host before the news of it.
  public static let dataBeforeEncryptionChange = Self(rawValue: 1 << 7)
  /// It does not look for a peer to connect to while it scans, nor scan while it looks for one.
  public static let scanExcludesInitiating = Self(rawValue: 1 << 8)
}

/// Things that no radio does by itself. Real Bluetooth never loses a packet of a connection that goes on: a test that
/// needs such a loss asks for it by one of these.
public enum ControllerFault: Hashable, Sendable {
  /// The next packets of ACL data for the host vanish, though the peer's controller has their acknowledgement.
  case loseDataToHost(packets: Int)
  /// The next packets of ACL data from the host vanish, though they are reported as completed.
  case loseDataFromHost(packets: Int)
  /// The next commands are neither carried out nor answered.
  case ignoreCommands(count: Int)
  /// The next commands with this opcode are refused with this error code (Core, Vol 1 Part F).
  case refuseCommands(opcode: UInt16, error: UInt8, count: Int)
  /// The next encrypted packets are changed on their way, and their CRC fits nevertheless: somebody forges them. The
  /// integrity check of the first ends the connection.
  case spoilEncryptedPackets(count: Int)
  /// From now on it neither answers its host nor tells it anything, while its radio goes on.
  case hang
}
