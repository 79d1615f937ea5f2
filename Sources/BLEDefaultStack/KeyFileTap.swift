import BLECapture
import BLECore
import BLECrypto
import BLEHCI
import BLEWire

/// Writes the keys that a host passes to its controller to a file, for `ble capture show --keys`. Only if the user has explicitly
/// requested it. On the loop.
final class KeyFileTap: HCITap {
  private let output: CaptureFileOutput
  private let log: Logger
  private var hasFailed = false
  private var peers: [ConnectionHandle: HCIAddress] = [:]
  private var written: [SecretKey] = []
  private static let limit = 4_096

  /// Makes the file, or empties it; a regular file, readable by its owner only.
  init(path: String, log: Logger) throws(CaptureError) {
    output = try CaptureFileOutput(path: path, isSecret: true)
    self.log = log
    append(CaptureKeys.heading)
  }

  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    switch (packet.kind, direction) {
    case (.command, .toController): note(command: packet.octets)
    case (.event, .toHost): note(event: packet.octets)
    default: break
    }
  }

  private func note(command octets: [UInt8]) {
    guard let command = try? HCICommandPacket(octets) else { return }
    switch command.opcode {
    case LEEnableEncryption.opcode:
      if let command = try? command.decode(LEEnableEncryption.self) {
        write(command.key, command.connectionHandle, role: "central")
      }
    case LELongTermKeyRequestReply.opcode:
      if let command = try? command.decode(LELongTermKeyRequestReply.self) {
        write(command.key, command.connectionHandle, role: "peripheral")
      }
    default: break
    }
  }

  private func note(event octets: [UInt8]) {
    guard let packet = try? HCIEventPacket(octets), let event = try? HCIEvent(packet) else { return }
    if case .disconnectionComplete(let end) = event { peers[end.connectionHandle] = nil }
    guard let connection = event.connectionComplete, connection.status.isSuccess else { return }
    peers[connection.connectionHandle] = connection.peerAddress
  }

  private func write(_ secret: HCISecret, _ handle: ConnectionHandle, role: String) {
    let key = SecretKey(leastSignificantFirst: secret.octets)
    guard !written.contains(key), written.count < Self.limit else { return }
    written.append(key)
    let peer = peers[handle].map { ", with \($0)" } ?? ""
    append(CaptureKeys.line(longTermKey: key, remark: "as \(role)\(peer)"))
  }

  private func append(_ line: String) {
    guard !hasFailed else { return }
    do throws(CaptureError) {
      try output.append(Array(line.utf8))
      try output.flush()
    } catch {
      hasFailed = true
      log.log(.error, "the key file has ended: \(error)")
    }
  }
}

/// Several taps for the same packets.
final class TapGroup: HCITap {
  private let taps: [any HCITap]

  private init(_ taps: [any HCITap]) { self.taps = taps }

  /// One for all that there are; `nil` where there is none.
  static func of(_ taps: [(any HCITap)?]) -> (any HCITap)? {
    let taps = taps.compactMap(\.self)
    return taps.count > 1 ? TapGroup(taps) : taps.first
  }

  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    for tap in taps { tap.tapDidHear(packet, direction, at: instant) }
  }
}
