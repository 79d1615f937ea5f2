import CoreBluetooth

/// Why something a session was asked for did not happen.
public struct SessionError: Error, Sendable {
  /// The kinds; more may come.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bluetooth is off, not permitted, or not there.
    public static let unavailable = Code(rawValue: "unavailable")
    /// There is no connection, and none is being made.
    public static let notConnected = Code(rawValue: "notConnected")
    /// The connection ended while this was under way.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// The user disconnected while this was under way.
    public static let disconnected = Code(rawValue: "disconnected")
    /// It was cancelled by whoever asked for it.
    public static let cancelled = Code(rawValue: "cancelled")
    /// No answer in time.
    public static let timedOut = Code(rawValue: "timedOut")
    /// The time for winning the device back is over.
    public static let budgetSpent = Code(rawValue: "budgetSpent")
    /// All attempts failed.
    public static let attemptsSpent = Code(rawValue: "attemptsSpent")
    /// The device forgot the pairing.
    public static let bondLost = Code(rawValue: "bondLost")
    /// The device has no such service or characteristic.
    public static let notFound = Code(rawValue: "notFound")
    /// The characteristic has no property for this.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The device answered with an error.
    public static let refused = Code(rawValue: "refused")
    /// The device is not the one that was meant, or did not prove that it is.
    public static let notVerified = Code(rawValue: "notVerified")
    /// What was given cannot be used.
    public static let invalid = Code(rawValue: "invalid")
    /// What devices are remembered in cannot be read or written.
    public static let storageFailed = Code(rawValue: "storageFailed")
  }

  /// Its kind.
  public let code: Code
  /// What happened and what to do about it, in a sentence.
  public let message: String
  /// What Core Bluetooth said, if it said something.
  public let underlying: (any Error)?

  /// An error; the message says what to do about it.
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

/// Two errors are equal where their code and message are.
extension SessionError: Equatable {
  public static func == (left: SessionError, right: SessionError) -> Bool {
    left.code == right.code && left.message == right.message
  }
}

extension SessionError {
  /// The device's own answer, if that is what it was.
  public var attError: CBATTError.Code? { (underlying as? CBATTError)?.code }

  /// What is missing, and how to get it.
  package static func unavailable(_ state: CBManagerState) -> SessionError {
    let message =
      switch state {
      case .poweredOff: "Bluetooth is switched off: switch it on"
      case .unauthorized: "this program has no permission to use Bluetooth: \(wayToPermission)"
      case .unsupported: "there is no Bluetooth Low Energy here: is an adapter connected and named?"
      case .resetting: "Bluetooth is starting over: try again in a moment"
      default: "Bluetooth has not reported its state yet"
      }
    return SessionError(.unavailable, message)
  }

  private static var wayToPermission: String {
    #if os(Linux)
      let program = CommandLine.arguments.first ?? "PROGRAM"
      return "give it with sudo setcap 'cap_net_admin,cap_net_raw+eip' \(program), or run it as a service that has both"
    #else
      return
        "allow it in the settings under Privacy & Security, Bluetooth; its Info.plist has to say why (NSBluetoothAlwaysUsageDescription)"
    #endif
  }
}
