import Glibc

/// Why a call failed: the other side's error reply, or an error found on this side.
struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The D-Bus error name, as in "org.bluez.Error.InProgress". Errors of this side have the names that libsystemd gives them.
  let name: String
  let message: String

  init(_ name: String, _ message: String) {
    self.name = name
    self.message = message
  }

  /// A failure of libsystemd, which returns negative error numbers.
  init(number: Int32, doing what: String) {
    let name =
      switch -number {
      case ENOTCONN, ECONNRESET, EPIPE: BusError.disconnected
      case ETIMEDOUT: BusError.noReply
      case EINVAL, ENXIO: BusError.invalidArguments
      case EACCES, EPERM: BusError.accessDenied
      case ENOMEM: "org.freedesktop.DBus.Error.NoMemory"
      case ENOENT, ECONNREFUSED: BusError.noServer
      case ENOBUFS: "org.freedesktop.DBus.Error.LimitsExceeded"
      default: BusError.failed
      }
    self.init(name, "\(what): \(String(cString: strerror(-number)))")
  }

  var description: String { message.isEmpty ? name : "\(name): \(message)" }

  static let failed = "org.freedesktop.DBus.Error.Failed"
  static let noReply = "org.freedesktop.DBus.Error.NoReply"
  static let noServer = "org.freedesktop.DBus.Error.NoServer"
  static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
  static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
  static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
  static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
  static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
  static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
  static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
  static let inconsistent = "org.freedesktop.DBus.Error.InconsistentMessage"
}
