import BLESession
import CoreBluetooth

/// What a vendor's document says about a device, as data: how it is recognised, how one talks to it, what it can be told and what it
/// says; and how it behaves, for playing it.
///
/// ```swift
/// let lock = try DeviceDescription(contentsOf: URL(filePath: "lock.json"))
/// let device = try DescribedDevice(lock, in: central, cryptography: SystemCryptography())
/// try await device.connect()
/// let answer = try await device.perform("unlock", ["pin": "123456"])
/// ```
///
/// `Docs/device-files.md` describes the format.
public struct DeviceDescription: Sendable {
  /// What the device is called.
  public var name: String
  /// What it is, for people.
  public var summary: String?
  /// How it is told from others.
  public var recognition: DeviceRecognition
  /// What a user can do where the device does not come at once.
  public var wakeHint: String?
  /// In seconds: past this without the device the hint is given.
  public var patience: Double
  /// `nil` for a device whose characteristics are only read and written.
  public var conversation: DeviceConversation?
  /// What it can be told and asked, in the order of the file.
  public var commands: [DeviceCommand]
  /// What it says unasked, in the order of the file.
  public var notifications: [DeviceNotification]
  /// How the device is played; `nil` where the file does not say.
  public var simulation: DeviceSimulationPlan?

  /// The command of that name.
  public func command(named name: String) -> DeviceCommand? { commands.first { $0.name == name } }
  /// The notification of that name.
  public func notification(named name: String) -> DeviceNotification? { notifications.first { $0.name == name } }
}

/// How a device is recognised among all that are heard: everything that is given has to be so.
public struct DeviceRecognition: Sendable, Hashable {
  /// One of these names.
  public var names: [String] = []
  /// Whether upper and lower case are the same in `names`.
  public var namesIgnoreCase = false
  /// The name begins so.
  public var namePrefix: String?
  /// One of these is advertised.
  public var services: [CBUUID] = []
  /// The company's assigned number in the manufacturer data.
  public var company: UInt16?
  /// What the manufacturer data begins with behind the company's number.
  public var manufacturerPrefix = Data()
  /// Where the address stands in the manufacturer data.
  public var addressRule: DeviceAddressRule?

  /// Every device.
  public init() {}

  /// The rule for a scan.
  /// - Parameter address: the one device that is meant, as `AA:BB:CC:DD:EE:FF`; needs an `addressRule`.
  public func rule(address: String? = nil) -> MatchRule {
    var rules: [MatchRule] = []
    if !names.isEmpty { rules.append(namesIgnoreCase ? .namesIgnoringCase(Set(names)) : .names(Set(names))) }
    if let namePrefix { rules.append(.namePrefix(namePrefix)) }
    if !services.isEmpty { rules.append(.services(Set(services))) }
    if let company { rules.append(.manufacturer(company: company, prefix: manufacturerPrefix)) }
    if let address, let addressRule { rules.append(.address(addressRule, address)) }
    return rules.isEmpty ? .any : .all(rules)
  }
}

/// The characteristics that commands and answers go over, and what stands around them there.
public struct DeviceConversation: Sendable {
  /// Where commands are written.
  public var commandPath: CharacteristicPath
  /// May be the same.
  public var answerPath: CharacteristicPath
  /// What stands around messages.
  public var codec: DescribedCodecPlan
  /// What has to be answered before the device counts as ready.
  public var handshake: Handshake?

  /// A command with its values; the command says what the answer is.
  public struct Handshake: Sendable, Hashable {
    /// The command, by its name.
    public var command: String
    /// Values for the command's fields.
    public var values: [String: FieldValue]
    /// In seconds, for each try.
    public var timeLimit: Double
    /// How often it is told again where no answer comes.
    public var retries: Int
  }
}
