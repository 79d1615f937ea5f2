import BLESession
import CoreBluetooth

/// A vendor's protocol as data: how the device is recognised and opened, its commands and notifications, and how to simulate it.
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
  /// The device's name.
  public var name: String
  /// A description for people.
  public var summary: String?
  /// How it is distinguished from other devices.
  public var recognition: DeviceRecognition
  /// What a user can do if the device is not found soon.
  public var wakeHint: String?
  /// In seconds: how long to search before the hint is given.
  public var patience: Double
  /// `nil` for a device whose characteristics are only read and written.
  public var conversation: DeviceConversation?
  /// The commands, in the order of the file.
  public var commands: [DeviceCommand]
  /// The notifications, in the order of the file.
  public var notifications: [DeviceNotification]
  /// How the device is simulated; `nil` if the file does not say.
  public var simulation: DeviceSimulationPlan?
  /// What a log shows of the device; `nil` if the file was not made from one.
  public var recording: RecordedDevice?

  /// The command of that name.
  public func command(named name: String) -> DeviceCommand? { commands.first { $0.name == name } }
  /// The notification of that name.
  public func notification(named name: String) -> DeviceNotification? { notifications.first { $0.name == name } }
}

/// How a device is recognised in a scan: all given conditions have to hold.
public struct DeviceRecognition: Sendable, Hashable {
  /// It has one of these names.
  public var names: [String] = []
  /// Whether `names` are compared without regard to case.
  public var namesIgnoreCase = false
  /// The prefix of its name.
  public var namePrefix: String?
  /// It advertises one of these services.
  public var services: [CBUUID] = []
  /// The company identifier in the manufacturer data.
  public var company: UInt16?
  /// The beginning of the manufacturer data after the company identifier.
  public var manufacturerPrefix = Data()
  /// The service in whose service data something is.
  public var serviceDataService: CBUUID?
  /// The beginning of that service data.
  public var serviceDataPrefix = Data()
  /// Where the manufacturer data contains the address.
  public var addressRule: DeviceAddressRule?

  /// Any device.
  public init() {}

  /// The rule for a scan.
  /// - Parameter address: the address of a single device, as `AA:BB:CC:DD:EE:FF`; needs an `addressRule`.
  public func rule(address: String? = nil) -> MatchRule {
    var rules: [MatchRule] = []
    if !names.isEmpty { rules.append(namesIgnoreCase ? .namesIgnoringCase(Set(names)) : .names(Set(names))) }
    if let namePrefix { rules.append(.namePrefix(namePrefix)) }
    if !services.isEmpty { rules.append(.services(Set(services))) }
    if let company { rules.append(.manufacturer(company: company, prefix: manufacturerPrefix)) }
    if let serviceDataService { rules.append(.serviceData(serviceDataService, prefix: serviceDataPrefix)) }
    if let address, let addressRule { rules.append(.address(addressRule, address)) }
    return rules.isEmpty ? .any : .all(rules)
  }
}

/// The characteristics for commands and answers, and the encoding of messages.
public struct DeviceConversation: Sendable {
  /// The characteristic that commands are written to.
  public var commandPath: CharacteristicPath
  /// The characteristic that notifies answers; may be the same.
  public var answerPath: CharacteristicPath
  /// The encoding of messages.
  public var codec: DescribedCodecPlan
  /// The handshake that has to succeed before the device is ready.
  public var handshake: Handshake?

  /// A command with its values; the command describes the answer.
  public struct Handshake: Sendable, Hashable {
    /// The command's name.
    public var command: String
    /// Values of the command's fields.
    public var values: [String: FieldValue]
    /// In seconds, for each attempt.
    public var timeLimit: Double
    /// How often it is sent again if no answer arrives.
    public var retries: Int
  }
}
