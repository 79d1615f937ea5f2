import BLEHCI
import BLETransports
import BLEWire
import Glibc
import Testing

@Suite("What H4 writes", .timeLimit(.minutes(10)))
struct H4WritingTests {
  private static let reset = HCIPacket(kind: .command, octets: [0x03, 0x0C, 0x00])
  private static let written: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

  @Test("the packets of one job are written together, behind it")
  func together() async throws {
    let rig = Rig()
    let end = try await rig.waitForEnd()
    let early = await rig.run { rig in
      for _ in 0..<3 { rig.transport?.send(Self.reset) }
      var octet: UInt8 = 0
      return recv(end.descriptor, &octet, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
    }
    #expect(early == -1)
    #expect(await end.receive(12) == Self.written + Self.written + Self.written)
    end.close()
    await rig.tearDown()
  }

  @Test("a packet that is sent right before the end arrives")
  func last() async throws {
    let rig = Rig()
    let end = try await rig.waitForEnd()
    await rig.run { rig in
      rig.transport?.send(Self.reset)
      rig.transport?.close()
    }
    #expect(await end.receive(5) == Self.written)
    end.close()
    await rig.tearDown()
  }
}
