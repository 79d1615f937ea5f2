import BLEAdapter
import BLECore
import BLEPairing

/// How a `HostStack` presents itself.
public struct HostOptions: Sendable {
  /// The device name in the Generic Access service (2A00), at most 248 octets of UTF-8.
  public var name: String
  /// Whether a local name that a program advertises becomes the device name, so that who connects and reads it knows the
  /// device by the name it was found under.
  public var nameFollowsAdvertisement: Bool
  /// The appearance in the Generic Access service (2A01), from the assigned numbers; 0 is none.
  public var appearance: UInt16
  /// Whether the program may use Bluetooth: where not, the state is `unauthorized`.
  public var isPermitted: Bool
  /// Whether the adapter is on from the start.
  public var isSwitchedOn: Bool
  /// A random static address to show in place of the controller's public one. Without either, one is made.
  public var randomAddress: DeviceAddress?
  /// Where there is no `randomAddress`: shows one that is the same each time for this user and this name.
  public var randomAddressName: String?
  /// The longest ATT PDU that is taken on new links, in octets, 23 to 517.
  public var maximumTransmissionUnit: Int
  /// Whether L2CAP channels are opened in enhanced mode where the peer has it, and peers may do so.
  public var usesEnhancedChannels: Bool
  /// The time between two advertisements while nobody is connected.
  public var advertisingInterval: StackDuration
  /// The same while a central is connected.
  public var advertisingIntervalWhileConnected: StackDuration
  /// The same for a program in the background.
  public var advertisingIntervalInBackground: StackDuration
  /// The PHYs on which devices are looked for; LE 1M on a controller without LE Coded.
  public var searchPHYs: SearchPHYs
  /// Whether private addresses that change are shown in place of the device's own, which only bonded devices learn.
  public var usesPrivacy: Bool
  /// How long a private address is shown.
  public var privateAddressLifetime: StackDuration
  /// What this device insists on when it pairs, and what it offers. What its user can see and type is the agent's to say.
  public var security: SecurityPolicy
  /// Who answers for the user; `nil`: whom the process has registered, or the standard one.
  public var pairingAgent: (any PairingAgent)?
  /// Devices that there may be keys of at a time. A further one cannot be paired.
  public var bondLimit: Int
  /// How many devices are remembered that are nothing but neighbours.
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

/// How many neighbours a stack remembers. Each of them may show as many addresses as it likes, so every table of them has a limit;
/// with small ones old entries make room soon, which is what a test or a fuzzer of that wants.
package struct TableLimits: Sendable {
  /// Advertisers whose last words are known.
  package var scannedDevices: Int
  /// Addresses that an identifier is known for.
  package var knownPeers: Int

  package init(scannedDevices: Int = 16_384, knownPeers: Int = PeerDirectory.limit) {
    self.scannedDevices = scannedDevices
    self.knownPeers = knownPeers
  }
}
