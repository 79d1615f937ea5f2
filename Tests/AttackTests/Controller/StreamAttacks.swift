import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLETestKit
import BLETransports
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// A stream of HCI packets that is cut anywhere, merged, or not a stream of HCI packets at all.
@Suite("H3 framing", .keepsCapture)
struct StreamAttacks {
  /// A program that explores an honest shelf; its controllers are at the end of a line.
  private final class Scene: @unchecked Sendable {
    let world = World()
    let stack: HostStack
    let program: CentralApp
    let shelf: PeripheralApp
    private let lines = Lines()

    private final class Lines {
      var all: [StreamedController] = []
    }

    /// - Parameter prepare: called with each line before it is opened, and its number, from 0.
    init(pieceLength: Int = 16_384, _ prepare: @escaping (StreamedController, Int) -> Void = { _, _ in }) {
      let (world, lines) = (world, lines)
      stack = HostStack(
        loop: world.loop, options: HostOptions(randomAddress: HostileDevice.address(0x77)),
        entropy: SeededEntropy(seed: 7), peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 8))
      ) { () throws(TransportError) in
        let line = StreamedController(
          world.air.makeController(address: HostileDevice.address(0x77)), loop: world.loop, pieceLength: pieceLength)
        prepare(line, lines.all.count)
        lines.all.append(line)
        return line
      }
      stack.start()
      shelf = Shelf.start(world.makeDevice("honest").options)
      program = CentralApp(
        [CBManagerOptionAdapterKey: stack as any Adapter], seeking: "Shelf", discovering: .descriptors)
    }

    var lineCount: Int { lines.all.count }
    var first: StreamedController { lines.all[0] }

    func explore(within limit: Duration) async throws { try await program.explore(in: world, within: limit) }
  }

  @Test(
    "H3 packets that arrive in pieces of any length, or many in one, are whole to the host",
    arguments: [1, 2, 3, 5, 8, 13, 64, 1_000, 16_384])
  func pieces(_ length: Int) async throws {
    let scene = Scene(pieceLength: length)
    try await scene.explore(within: .seconds(20))
    #expect(scene.lineCount == 1)
  }

  @Test("H3 a stream of every event and of data is parsed equally, wherever it is cut in two")
  func everyBoundary() throws {
    var packets = HCIRegistry.events.flatMap { event in
      let code = HCIEventCode(rawValue: UInt16(truncatingIfNeeded: event.code ?? 0))
      return event.examples().map { parameters in
        let body = (code.subevent.map { [$0] } ?? []) + parameters
        return HCIPacket(kind: .event, octets: [code.event, UInt8(body.count)] + body)
      }
    }
    packets += HCIRegistry.data.examples().map { HCIPacket(kind: .aclData, octets: $0) }
    let stream = packets.flatMap { [$0.kind.rawValue] + $0.octets }
    for cut in 0...stream.count {
      var parser = H4Parser(.toHost)
      var index = 0
      for part in [stream[..<cut], stream[cut...]] {
        try parser.feed(part) { packet in
          #expect(packet == packets[index], "cut at \(cut)")
          index += 1
        }
      }
      #expect(index == packets.count && parser.pendingCount == 0, "cut at \(cut)")
    }
  }

  @Test(
    "H3 an octet that is no packet type is reported as the line's failure; a new line works",
    arguments: [0x00, 0x01, 0x06, 0x0E, 0x3E, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8], [0, 40, 400])
  func unknownType(_ octet: UInt8, _ place: Int) async throws {
    let scene = Scene { line, number in
      var isSpoilt = false
      line.spoil = { octets, count in
        guard number == 0, !isSpoilt, count >= place else { return octets }
        isSpoilt = true
        return [octet] + octets
      }
    }
    await scene.world.advance(by: .seconds(2))
    #expect(scene.lineCount == 2)
    try await scene.explore(within: .seconds(30))
  }

  @Test(
    "H3 a stream that is shifted by an octet, or lacks one, is noticed in bounded time; everything works after that",
    arguments: [[0x02], [0x03], [0x05], [0x04, 0xFF], [0x02, 0x40, 0x20, 0xFF, 0xFF], []] as [[UInt8]], [0, 40, 400])
  func slipped(_ inserted: [UInt8], _ place: Int) async throws {
    let scene = Scene { line, number in
      var isSpoilt = false
      line.spoil = { octets, count in
        guard number == 0, !isSpoilt, count >= place else { return octets }
        isSpoilt = true
        // With no octets to insert, the packet type is missing.
        return inserted.isEmpty ? Array(octets.dropFirst()) : inserted + octets
      }
    }
    await scene.world.advance(by: .seconds(2))
    #expect(scene.first.pendingCount < 66_000)
    // Operations that are pending then, or requested next, get no answer: 30 s for a request, and 10 s for a command.
    scene.program.manager.stopScan()
    scene.program.read("FF31")
    await scene.world.advance(by: .seconds(45))
    // By chance a stream can be whole again after the misread packet.
    #expect(scene.lineCount >= 2 || scene.first.pendingCount == 0)
    try await scene.explore(within: .seconds(30))
  }

  @Test(
    "H3 random octets are reported as failures, one line after the other, until the host gives up; no line is read twice"
  )
  func noise() async throws {
    let entropy = SeededEntropy(seed: 3)
    var isNoisy = true
    let scene = Scene { line, _ in line.spoil = { octets, _ in isNoisy ? entropy.octets(octets.count) : octets } }
    await scene.world.advance(by: .seconds(120))
    #expect(scene.program.manager.state == .unsupported)
    #expect(scene.lineCount == 6)
    isNoisy = false
    scene.stack.powerOn()
    try await scene.explore(within: .seconds(30))
    #expect(scene.lineCount == 7)
  }

  @Test("H3 no memory is allocated for octets that are only announced, however often and by whatever kind of packet")
  func claims() throws {
    for header in [
      [0x02, 0x40, 0x20, 0xFF, 0xFF], [0x03, 0x40, 0x00, 0xFF], [0x04, 0x3E, 0xFF], [0x05, 0x40, 0x00, 0xFF, 0x3F],
    ] as [[UInt8]] {
      var parser = H4Parser(.toHost)
      for count in 1...header.count {
        try parser.feed(header[(count - 1)..<count]) { _ in Issue.record("no packet is whole") }
        #expect(parser.pendingCount == count - 1)
      }
      try parser.feed([1, 2, 3]) { _ in Issue.record("no packet is whole") }
      #expect(parser.pendingCount == header.count + 2)
    }
  }
}
