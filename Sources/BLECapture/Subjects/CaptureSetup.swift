import BLEWire

/// Distinguishes the set-up of controllers from the rest of a capture: the commands with which a host begins, from a reset to the first
/// command for advertising, scanning or connecting, and the answers to them.
///
/// Pass it the packets of one capture in order.
public struct CaptureSetup {
  /// The controllers that have been set up, by interface. Beyond the limit all are forgotten.
  private var isDone: Set<Int> = []
  /// The answers that are still expected to commands of a set-up.
  private var expected: Set<Answer> = []
  private static let limit = 4_096

  private struct Answer: Hashable {
    let interface: Int
    let opcode: HCIOpcode
  }

  public init() {}

  /// Whether the next packet belongs to a set-up.
  public mutating func contains(_ packet: CapturedPacket) -> Bool {
    guard case .hci(let hci, _) = packet.content else { return false }
    let opcode = CapturedHandles.commandOpcode(of: hci)
    switch (hci.kind, opcode) {
    case (.command, let opcode?):
      if opcode == HCIReset.opcode {
        isDone.remove(packet.interface)
      } else if Self.ends(opcode) {
        finish(packet.interface)
      }
      guard !isDone.contains(packet.interface) else { return false }
      if expected.count >= Self.limit { expected.removeAll() }
      expected.insert(Answer(interface: packet.interface, opcode: opcode))
      return true
    case (.event, let opcode?):
      // Without a command: the controller says only how many commands it takes.
      if opcode == .none { return !isDone.contains(packet.interface) }
      return expected.remove(Answer(interface: packet.interface, opcode: opcode)) != nil
    default:
      finish(packet.interface)
      return false
    }
  }

  private mutating func finish(_ interface: Int) {
    if isDone.count >= Self.limit, !isDone.contains(interface) { isDone.removeAll() }
    isDone.insert(interface)
  }

  /// Commands about advertising, scanning and connecting, and all of links (Core, Vol 4 Part E 7.1 and 7.8).
  private static func ends(_ opcode: HCIOpcode) -> Bool {
    opcode.group == 0x01 || opcode.group == 0x08 && working.contains(opcode.command)
  }

  private static let working: Set<UInt16> = [
    0x06, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x13, 0x36, 0x37, 0x38, 0x39, 0x41, 0x42, 0x43, 0x7F, 0x85,
  ]
}
