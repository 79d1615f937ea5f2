import CoreBluetooth

/// Why an operation of a session failed.
public struct SessionError: Error, Sendable {
  /// The kind of an error. Later versions may add codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bluetooth is off, not permitted, or not available.
    public static let unavailable = Code(rawValue: "unavailable")
    /// There is no connection, and none is being established.
    public static let notConnected = Code(rawValue: "notConnected")
    /// The connection was lost during the operation.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// The user disconnected during the operation.
    public static let disconnected = Code(rawValue: "disconnected")
    /// The caller cancelled.
    public static let cancelled = Code(rawValue: "cancelled")
    /// There was no answer in time.
    public static let timedOut = Code(rawValue: "timedOut")
    /// The time for all attempts has elapsed.
    public static let budgetSpent = Code(rawValue: "budgetSpent")
    /// All attempts failed.
    public static let attemptsSpent = Code(rawValue: "attemptsSpent")
    /// The device has deleted the pairing.
    public static let bondLost = Code(rawValue: "bondLost")
    /// The device has no such service or characteristic.
    public static let notFound = Code(rawValue: "notFound")
    /// The characteristic lacks the necessary property.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The device answered with an error.
    public static let refused = Code(rawValue: "refused")
    /// The device is not the expected one, or did not prove its identity.
    public static let notVerified = Code(rawValue: "notVerified")
    /// An argument or a received value is invalid.
    public static let invalid = Code(rawValue: "invalid")
    /// The storage of remembered devices cannot be read or written.
    public static let storageFailed = Code(rawValue: "storageFailed")
  }

  /// The kind of the error.
  public let code: Code
  /// What happened and what to do about it, in a sentence.
  public let message: String
  /// The error of Core Bluetooth, if there is one.
  public let underlying: (any Error)?

  /// Creates an error; the message should say what to do about it.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }
}

extension SessionError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { description }
  public var description: String {
    underlying.map { "\(message) (\($0.localizedDescription))" } ?? message
  }
}

/// Two errors are equal if their codes and messages are.
extension SessionError: Equatable {
  public static func == (left: SessionError, right: SessionError) -> Bool {
    left.code == right.code && left.message == right.message
  }
}

extension SessionError {
  /// The ATT error with which the device answered, if that is the cause.
  public var attError: CBATTError.Code? { (underlying as? CBATTError)?.code }

  /// Returns an error that says what is missing and how to get it.
  package static func unavailable(_ state: CBManagerState) -> SessionError {
    let message =
      switch state {
      case .poweredOff: "Bluetooth is switched off: switch it on"
      case .unauthorized: "this program has no permission to use Bluetooth: \(permissionHint)"
      case .unsupported: "Bluetooth Low Energy is not available: is an adapter connected and selected?"
      case .resetting: "Bluetooth is resetting: try again in a moment"
      default: "Bluetooth has not reported its state yet"
      }
    return SessionError(.unavailable, message)
  }

  private static var permissionHint: String {
    #if os(Linux)
      let program = CommandLine.arguments.first ?? "PROGRAM"
      return "give it with sudo setcap 'cap_net_admin,cap_net_raw+eip' \(program), or run it as a service that has both"
    #else
      return
        "allow it in the settings under Privacy & Security, Bluetooth; its Info.plist has to say why (NSBluetoothAlwaysUsageDescription)"
    #endif
  }
}
