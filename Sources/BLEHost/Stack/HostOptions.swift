import BLEAdapter
import BLECore
import BLEPairing

/// The options of a `HostStack`.
public struct HostOptions: Sendable {
  /// The device name in the Generic Access service (2A00), at most 248 octets of UTF-8.
  public var name: String
  /// Whether a local name that an application advertises becomes the device name, so that a central reads the name under which it
  /// found the device.
  public var nameFollowsAdvertisement: Bool
  /// The appearance in the Generic Access service (2A01), from the assigned numbers; 0 for unknown.
  public var appearance: UInt16
  /// Whether the application may use Bluetooth; otherwise the state is `unauthorized`.
  public var isPermitted: Bool
  /// Whether the adapter is on from the start.
  public var isSwitchedOn: Bool
  /// A random static address to use in place of the controller's public one. Without either, one is generated.
  public var randomAddress: DeviceAddress?
  /// Without `randomAddress`: a name from which a random static address is derived, the same each time for this user.
  public var randomAddressName: String?
  /// The longest ATT PDU accepted on new links, in octets, 23 to 517.
  public var maximumTransmissionUnit: Int
  /// Whether L2CAP channels are opened in enhanced mode if the peer supports it, and peers may do so.
  public var usesEnhancedChannels: Bool
  /// The advertising interval while no central is connected.
  public var advertisingInterval: StackDuration
  /// The advertising interval while a central is connected.
  public var advertisingIntervalWhileConnected: StackDuration
  /// The minimum advertising interval of an application in the background.
  public var advertisingIntervalInBackground: StackDuration
  /// The PHYs on which to scan and initiate; LE 1M on a controller without LE Coded.
  public var searchPHYs: SearchPHYs
  /// Whether changing private addresses are used in place of the identity address, which only bonded devices receive.
  public var usesPrivacy: Bool
  /// How long a private address is used.
  public var privateAddressLifetime: StackDuration
  /// What this device requires and offers in pairings. The I/O capability is the agent's.
  public var security: SecurityPolicy
  /// Answers pairing questions; `nil` for the agent registered in the process, or the standard one.
  public var pairingAgent: (any PairingAgent)?
  /// The maximum number of bonded devices. Further ones cannot be paired.
  public var bondLimit: Int
  /// The maximum numbers of remembered devices that are not bonded.
  package var tableLimits = TableLimits()

  public init(
    name: String = "swift-corebluetooth", nameFollowsAdvertisement: Bool = false, appearance: UInt16 = 0,
    isPermitted: Bool = true, isSwitchedOn: Bool = true,
    randomAddress: DeviceAddress? = nil, randomAddressName: String? = nil,
    maximumTransmissionUnit: Int = 517, usesEnhancedChannels: Bool = true,
    advertisingInterval: StackDuration = .milliseconds(100),
    advertisingIntervalWhileConnected: StackDuration = .milliseconds(500),
    advertisingIntervalInBackground: StackDuration = .microseconds(1_022_500),
    searchPHYs: SearchPHYs = .le1M, usesPrivacy: Bool = false, privateAddressLifetime: StackDuration = .seconds(900),
    security: SecurityPolicy = SecurityPolicy(), pairingAgent: (any PairingAgent)? = nil, bondLimit: Int = 128
  ) {
    self.name = name
    self.nameFollowsAdvertisement = nameFollowsAdvertisement
    self.appearance = appearance
    self.isPermitted = isPermitted
    self.isSwitchedOn = isSwitchedOn
    self.randomAddress = randomAddress
    self.randomAddressName = randomAddressName
    self.maximumTransmissionUnit = maximumTransmissionUnit
    self.usesEnhancedChannels = usesEnhancedChannels
    self.advertisingInterval = advertisingInterval
    self.advertisingIntervalWhileConnected = advertisingIntervalWhileConnected
    self.advertisingIntervalInBackground = advertisingIntervalInBackground
    self.searchPHYs = searchPHYs
    self.usesPrivacy = usesPrivacy
    self.privateAddressLifetime = privateAddressLifetime
    self.security = security
    self.pairingAgent = pairingAgent
    self.bondLimit = bondLimit
  }
}

/// The limits of a stack's tables of other devices, each of which may use any number of addresses. Tests and fuzzers of the removal
/// of old entries set small ones.
package struct TableLimits: Sendable {
  /// The maximum number of advertisers whose last data is stored.
  package var scannedDevices: Int
  /// The maximum number of peers with an identifier.
  package var knownPeers: Int

  package init(scannedDevices: Int = 16_384, knownPeers: Int = PeerDirectory.limit) {
    self.scannedDevices = scannedDevices
    self.knownPeers = knownPeers
  }
}
