import BLEReports
import CoreFoundation
import Foundation

/// Sends lines to systemd's journal with their fields (systemd.io/JOURNAL_NATIVE_PROTOCOL), so that
/// `journalctl BLE_DEVICE=Wrist BLE_EVENT=disconnected` finds them.
///
/// The protocol is used and not libsystemd, because the tool is also built without that.
final class Journal: Sendable {
  private let descriptor: Int32

  /// The journal, if systemd has connected `stream` to it (systemd.exec(5), JOURNAL_STREAM).
  /// - Parameter path: where the journal listens.
  init?(
    behind stream: Int32, environment: [String: String] = ProcessInfo.processInfo.environment,
    path: String = "/run/systemd/journal/socket"
  ) {
    var facts = stat()
    guard let named = environment["JOURNAL_STREAM"], fstat(stream, &facts) == 0,
      named == "\(facts.st_dev):\(facts.st_ino)"
    else { return nil }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    let isConnected =
      octets.count < MemoryLayout.size(ofValue: address.sun_path)
      && withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) } == ()
      && withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      } == 0
    guard isConnected else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Returns whether the journal has taken the entry; it does not take what is longer than a message of the socket.
  func send(_ entry: JournalEntry) -> Bool {
    let octets = entry.message
    while true {
      if Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL)) == octets.count { return true }
      guard errno == EINTR else { return false }
    }
  }
}

/// A line in the journal.
struct JournalEntry: Equatable {
  /// Of syslog.
  enum Priority: Int {
    case error = 3
    case warning = 4
    case information = 6
  }

  private(set) var fields: [(name: String, value: String)]

  /// A longer value is left out: it is in the line, and the journal keeps fields for searching.
  static let longestValue = 1_024

  /// - Parameters:
  ///   - line: what people read.
  ///   - event: its name in the output for programs; `nil` for a line that is none.
  ///   - members: those of the event. Each that is no list becomes a field: `reason` is `BLE_REASON`; `name` is `BLE_DEVICE`.
  init(_ line: String, _ priority: Priority, event: String? = nil, _ members: JSONValue = [:]) {
    fields = [("MESSAGE", line), ("PRIORITY", String(priority.rawValue)), ("SYSLOG_IDENTIFIER", "ble")]
    if let event { fields.append(("BLE_EVENT", event)) }
    guard case .object(let members) = members else { return }
    for member in members {
      let value: String
      switch member.value {
      case .string(let text): value = text
      case .integer, .number, .bool: value = member.value.text
      case .null, .array, .object: continue
      }
      guard value.utf8.count <= Self.longestValue else { continue }
      fields.append(("BLE_" + (member.key == "name" ? "DEVICE" : Self.name(member.key)), value))
    }
  }

  /// A field's name has capital letters, digits and underscores.
  private static func name(_ key: String) -> String {
    String(
      key.uppercased().utf8.prefix(60).map { octet in
        let isUsable = (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet)
        return isUsable ? Character(UnicodeScalar(octet)) : "_"
      })
  }

  static func == (one: Self, other: Self) -> Bool { one.message == other.message }

  /// As it is sent. A value with a line feed is preceded by its length, which no text from a device can end early.
  var message: [UInt8] {
    var message: [UInt8] = []
    for (name, value) in fields {
      message += name.utf8
      let octets = Array(value.utf8)
      if octets.contains(0x0A) {
        message.append(0x0A)
        message += withUnsafeBytes(of: UInt64(octets.count).littleEndian, Array.init)
      } else {
        message.append(UInt8(ascii: "="))
      }
      message += octets
      message.append(0x0A)
    }
    return message
  }
}
