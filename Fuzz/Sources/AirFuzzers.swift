import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

extension Fuzzer {
  /// What processes on one air tell each other. A message that was understood is the same when it is written and read again.
  static let air = Fuzzer(name: "air") { octets in
    guard let written = try? AirLanguage.roundTrip(octets) else { return }
    require((try? AirLanguage.roundTrip(written)) == written, "a message is read otherwise than it was written")
    require(written.count <= octets.count, "a message is larger than the packet that it came in")
  } seeds: {
    // Each kind of message with fields of zeros, as long as the kinds need.
    (1...9).flatMap { kind in
      [0, 2, 4, 5, 6, 10, 12, 14, 20, 60, 80, 86, 100].map {
        [0xA1, 1, UInt8(kind)] + [UInt8](repeating: 0, count: $0)
      }
    }
  }

  /// Two simulated controllers whose hosts send them whatever they like. What they answer can be understood.
  static let controller = Fuzzer(name: "controller") { octets in
    let loop = FuzzLoop()
    let air = Air(loop: loop, seed: 1)
    let hosts = (1...2).map { number in
      FuzzHost(air.makeController(address: DeviceAddress(0x1000_0000_0000 | UInt64(number), kind: .public)))
    }
    for (flag, piece) in Pieces(octets) {
      let host = hosts[Int(flag & 1)]
      switch flag >> 1 & 7 {
      case 0: loop.advance(by: .milliseconds(Int64(piece.count) * 20))
      case 1: host.controller.send(HCIPacket(kind: .aclData, octets: Array(piece)))
      case 2: piece.first == 0 ? host.controller.silence() : host.controller.comeBack()
      default: host.controller.send(HCIPacket(kind: .command, octets: Array(piece)))
      }
      loop.advance(by: .milliseconds(1))
    }
    loop.advance(by: .seconds(8))
    air.shutDown()
    loop.advance(by: .seconds(1))
  } seeds: {
    func command(_ flag: UInt8, _ opcode: UInt32, _ parameters: [UInt8]) -> [UInt8] {
      let packet = [UInt8(opcode & 0xFF), UInt8(opcode >> 8 & 0xFF), UInt8(parameters.count)] + parameters
      return [6 | flag, UInt8(packet.count)] + packet
    }
    let all = HCIRegistry.commands.flatMap { declared in
      declared.examples().filter { $0.count < 240 }.map { command(0, declared.code ?? 0, $0) }
    }
    // One advertises, the other connects; both let time pass and send each other something.
    let link: [UInt8] =
      command(0, 0x200A, [1])
      + command(
        1, 0x200D, [0x60, 0, 0x60, 0, 0, 0, 1, 0, 0, 0, 0, 0x10, 0, 12, 0, 12, 0, 0, 0, 200, 0, 0, 0, 0, 0])
      + [0, 40] + [UInt8](repeating: 0, count: 40)
      + [2, 8, 0x40, 0, 4, 0, 0, 0, 4, 0] + [3, 8, 0x40, 0, 4, 0, 0, 0, 4, 0]
      + command(1, 0x0406, [0x40, 0, 0x13])
    return all + [all.flatMap { $0 }, link]
  }
}

/// A host that sends given packets, and decodes what comes back.
private final class FuzzHost: HCITransportReceiver {
  let controller: VirtualController

  init(_ controller: VirtualController) {
    self.controller = controller
    do { try controller.open(receiver: self) } catch { fatalError("\(error)") }
  }

  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    switch packet.kind {
    case .event:
      guard let event = try? HCIEventPacket(packet.octets) else { fatalError("an event of no length") }
      require((try? HCIEvent(event)) != nil, "an event that can't be understood: \(packet.octets.hexadecimal)")
    case .aclData:
      require((try? HCIACLPacket(packet.octets)) != nil, "data that can't be understood")
    default: fatalError("a controller sends \(packet.kind)")
    }
  }

  func transport(_ transport: any HCITransport, didFail error: TransportError) {}
}
