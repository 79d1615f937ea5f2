import BLEWire

/// The opcodes of the Linux kernel's Bluetooth monitor for HCI packets, as in btsnoop with link type 2001 and in
/// LINKTYPE_BLUETOOTH_LINUX_MONITOR.
enum LinuxMonitor {
  /// `nil` for an opcode that is not of an HCI packet: controllers that come and go, texts of daemons.
  static func content(opcode: UInt16, _ octets: ArraySlice<UInt8>) -> CapturedPacket.Content? {
    let known: (kind: HCIPacketKind, direction: CaptureDirection)? =
      switch opcode {
      case 2: (.command, .sent)
      case 3: (.event, .received)
      case 4: (.aclData, .sent)
      case 5: (.aclData, .received)
      case 6: (.synchronousData, .sent)
      case 7: (.synchronousData, .received)
      case 18: (.isochronousData, .sent)
      case 19: (.isochronousData, .received)
      default: nil
      }
    return known.map { .hci(HCIPacket(kind: $0.kind, octets: Array(octets)), $0.direction) }
  }
}
