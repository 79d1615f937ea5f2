import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

@Suite("The daemon's errors, translated")
struct ErrorTests {
  private static let attribute: [(name: String, text: String, error: OperationError)] = [
    ("NotPermitted", "Read not permitted", .attribute(code: 0x02)),
    ("NotPermitted", "Write not permitted", .attribute(code: 0x03)),
    ("NotPermitted", "Not paired", .attribute(code: 0x05)),
    ("NotAuthorized", "Operation Not Authorized", .attribute(code: 0x08)),
    ("NotSupported", "Operation is not supported", .attribute(code: 0x06)),
    ("InvalidArguments", "Invalid offset", .attribute(code: 0x07)),
    ("InvalidArguments", "Invalid Length", .attribute(code: 0x0D)),
    ("InvalidArguments", "Invalid arguments in method call", .attribute(code: 0x0D)),
    ("Failed", "Operation failed with ATT error: 0x80", .attribute(code: 0x80)),
    ("Failed", "Operation failed with ATT error: 0x0e (Unlikely Error)", .attribute(code: 0x0E)),
    ("Failed", "Operation failed with ATT error: 0xFD", .attribute(code: 0xFD)),
    ("Failed", "Operation failed", .attribute(code: 0x0E)),
    ("Failed", "Not connected", .notConnected),
    ("Failed", "No ATT transport", .notConnected),
    ("Failed", "Operation failed with ATT error: 0x00", .attribute(code: 0x0E)),
    ("Failed", "0x", .attribute(code: 0x0E)),
    ("Failed", "0x1234", .attribute(code: 0x0E)),
    ("NotConnected", "Not Connected", .notConnected),
    ("DoesNotExist", "Does Not Exist", .attribute(code: 0x01)),
    ("", "", .attribute(code: 0x0E)),
  ]

  @Test("I12.2 an operation's error is the Attribute Protocol's that the daemon means", arguments: attribute)
  func attributeErrors(name: String, text: String, error: OperationError) {
    #expect(OperationError(BusError("org.bluez.Error." + name, text)) == error)
  }

  @Test("I12.2 errors of the bus are no errors of the peer")
  func busErrors() {
    #expect(OperationError(BusError(BusError.noReply, "")) == .timedOut)
    #expect(OperationError(BusError(BusError.disconnected, "")) == .notConnected)
    #expect(OperationError(BusError(BusError.serviceUnknown, "")) == .notConnected)
    #expect(OperationError(BusError(BusError.unknownObject, "")) == .attribute(code: 0x01))
    guard case .notSupported(let text) = OperationError(BusError("org.bluez.Error.NotPermitted", "Notify acquired"))
    else {
      Issue.record("taken for an error of the peer")
      return
    }
    #expect(text.contains("another program"))
  }

  private static let connect: [(name: String, text: String, failure: ConnectFailure)] = [
    ("org.bluez.Error.AlreadyConnected", "Already Connected", .isConnected),
    ("org.bluez.Error.InProgress", "Operation already in progress", .isUnderWay),
    ("org.bluez.Error.Failed", "Operation already in progress", .isUnderWay),
    ("org.bluez.Error.Failed", "le-connection-busy", .isUnderWay),
    ("org.bluez.Error.Failed", "le-connection-abort-by-local", .tryAgain),
    ("org.bluez.Error.Failed", "le-connection-timeout", .tryAgain),
    ("org.bluez.Error.Failed", "Software caused connection abort", .tryAgain),
    ("org.bluez.Error.Failed", "Input/output error", .tryAgain),
    ("org.bluez.Error.Failed", "le-connection-key-missing", .final(.bondLost)),
    ("org.bluez.Error.NotReady", "Resource Not Ready", .tryAgain),
    ("org.bluez.Error.NotAuthorized", "", .final(.refused(code: 0x0E))),
    ("org.freedesktop.DBus.Error.AccessDenied", "", .final(.refused(code: 0x0E))),
    ("org.freedesktop.DBus.Error.UnknownObject", "Method \"Connect\" doesn't exist", .isGone),
    ("org.freedesktop.DBus.Error.UnknownMethod", "", .isGone),
    ("what ever", "", .tryAgain),
  ]

  @Test("I12.2 a refused Connect is final only where no other attempt can help", arguments: connect)
  func connectFailures(name: String, text: String, failure: ConnectFailure) {
    #expect(ConnectFailure(BusError(name, text)) == failure)
  }

  @Test(
    "I12.2 the reason of a link's end",
    arguments: [
      ("org.bluez.Reason.Timeout", EndReason.lost), ("org.bluez.Reason.Remote", .closedByPeer),
      ("org.bluez.Reason.Authentication", .bondLost), ("org.bluez.Reason.Unknown", .closedByPeer),
      ("org.bluez.Reason.Local", .closedByPeer), ("nonsense", .closedByPeer),
    ])
  func endReasons(text: String, reason: EndReason) {
    #expect(EndReason(endOfLink: text) == reason)
    #expect(EndReason(endOfLink: nil) == .closedByPeer)
  }
}
