import BLECore
import BLEHCI
import BLETransports
import BLEWire
import Testing

@Suite("Serial lines", .timeLimit(.minutes(10)))
struct SerialTests {
  @Test("a controller on a serial line is read octet by octet, and its end is reported")
  func line() async throws {
    let (end, path) = try #require(RawEnd.terminal())
    let rig = Rig()
    try await rig.run { rig in Result { try rig.makeTransport(.serial(path: path, speed: 1_000_000)) } }.get()
    #expect(await rig.run { $0.transport?.isReady } == true)
    await rig.run { $0.transport?.send(HCIPacket(HCIReset())) }
    #expect(await end.receive(4) == [0x01, 0x03, 0x0C, 0x00])
    // Octets that a terminal would change if it were not raw.
    let event: [UInt8] = [0x04, 0xFF, 0x06, 0x0D, 0x0A, 0x03, 0x11, 0x13, 0x7F]
    for octet in event { end.send([octet]) }
    await rig.until { $0.packets.count == 1 }
    #expect(await rig.run { $0.happened.packets } == [HCIPacket(kind: .event, octets: Array(event.dropFirst()))])
    end.close()
    await rig.until { $0.failure?.kind == .closed }
    await rig.tearDown()
  }

  @Test(
    "a path that is no serial line, an invalid speed and a missing line are reported",
    arguments: [
      (path: "/dev/null", speed: 115_200, kind: TransportError.Kind.invalidName),
      (path: "/dev/null", speed: 12_345, kind: .invalidName),
      (path: "/nowhere/tty", speed: 115_200, kind: .unreachable),
    ])
  func mistakes(_ mistake: (path: String, speed: Int, kind: TransportError.Kind)) async {
    let rig = Rig()
    let result = await rig.run { rig in
      Result { try rig.makeTransport(.serial(path: mistake.path, speed: mistake.speed)) }
    }
    #expect { try result.get() } throws: { ($0 as? TransportError)?.kind == mistake.kind }
  }
}
