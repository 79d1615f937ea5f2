import BLECore
import BLEWire

extension Fuzzer {
  /// Any packet of the registry: the first octet chooses it, the rest is its parameters. What was understood survives being
  /// written and read again.
  static let registry = Fuzzer(name: "registry") { octets in
    guard let first = octets.first else { return }
    let packets = PacketRegistry.all
    for index in stride(from: Int(first), to: packets.count, by: 256) {
      let packet = packets[index]
      guard let written = try? packet.roundTrip(Array(octets.dropFirst())) else { continue }
      _ = try? packet.describe(Array(octets.dropFirst()))
      require((try? packet.roundTrip(written)) == written, "\(packet.name) is not stable")
    }
  } seeds: {
    PacketRegistry.all.enumerated().flatMap { index, packet in
      packet.examples().prefix(1).map { [UInt8(truncatingIfNeeded: index)] + $0 }
    }
  }
}
