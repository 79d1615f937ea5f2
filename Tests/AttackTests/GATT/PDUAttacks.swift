import BLECore
import BLEHost
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Attribute PDUs of every length, over the radio, against both roles.
@Suite("A1 PDUs of every length", .keepsCapture)
struct PDUAttacks {
  /// Lengths from zero to one more than the MTU allows.
  private static let lengths = 0...ATTLimits.defaultMTU + 1

  /// Contents of PDUs: an invalid handle, and the repeated handle of a value that a program answers for.
  enum Filling: CaseIterable {
    case zeros, handles

    func octets(_ count: Int) -> [UInt8] {
      switch self {
      case .zeros: [UInt8](repeating: 0, count: count)
      case .handles: (0..<count).map { $0 % 2 == 0 ? 0x14 : 0x00 }
      }
    }

    func pdu(_ opcode: UInt8, _ length: Int) -> [UInt8] { length == 0 ? [] : [opcode] + octets(length - 1) }
  }

  @Test("A1 a server gets every opcode at every length from 0 to MTU + 1: one answer to each request, none to the rest")
  func server() async throws {
    let scene = try await AttackedShelf.start()
    for opcode in UInt8.min...UInt8.max {
      let code = ATTOpcode(opcode)
      let answers = await scene.flood(Self.lengths.map { Filling.zeros.pdu(opcode, $0) }, from: scene.attacker)
      let expected = Self.lengths.filter { length in
        if length == 0 { return false }
        if code == .handleValueIndication { return (3...ATTLimits.defaultMTU).contains(length) }
        return code.role == .request || code.role == nil
      }
      #expect(answers.count == expected.count, "opcode \(opcode)")
      #expect(answers.allSatisfy { $0.count <= ATTLimits.defaultMTU }, "opcode \(opcode)")
      if code.role == nil {
        #expect(answers.dropLast().allSatisfy { $0 == [0x01, opcode, 0, 0, 0x06] }, "opcode \(opcode)")
      }
      if code.role == nil || code.role == .request, code != .exchangeMTURequest {
        #expect(answers.last == [0x01, opcode, 0, 0, 0x04], "opcode \(opcode), longer than the MTU")
      }
    }
    #expect(await scene.serves(scene.attacker))
    #expect(scene.attacker.connectionCount == 1)
  }

  @Test(
    "A1 the same, where the PDUs contain the handle of a program's attribute, at the smallest and at the largest MTU")
  func program() async throws {
    let scene = try await AttackedShelf.start()
    for opcode in UInt8.min...UInt8.max {
      _ = await scene.flood(Self.lengths.map { Filling.handles.pdu(opcode, $0) }, from: scene.attacker)
    }
    #expect(await scene.serves(scene.attacker))
    let largest = ATTLimits.fullValueMTU
    #expect(await scene.attacker.ask("020502") == ["030502"])
    let lengths = Array(24...60) + Array(stride(from: 61, to: largest - 8, by: 41)) + Array(largest - 8...largest + 1)
    for opcode in UInt8.min...UInt8.max where ATTOpcode(opcode).role != nil && ATTOpcode(opcode).role != .command {
      let answers = await scene.flood(lengths.map { Filling.handles.pdu(opcode, $0) }, from: scene.attacker)
      #expect(answers.allSatisfy { $0.count <= largest }, "opcode \(opcode)")
      #expect(await scene.serves(scene.attacker), "opcode \(opcode)")
    }
    #expect(scene.attacker.connectionCount == 1)
    #expect(scene.program.writes.allSatisfy { $0.allSatisfy { $0.offset + $0.value.count <= 512 } })
  }

  @Test("A1 a client gets every opcode at every length before the answer to its request, which ends exactly once")
  func client() async throws {
    let scene = try await AttackedExplorer.start { $0.receiveMTU = ATTLimits.defaultMTU }
    #expect(scene.program.isWalked)
    let honest = "value FF31 " + Array("honest".utf8).hexadecimal
    for opcode in UInt8.min...UInt8.max {
      scene.program.forget()
      scene.attacker.forgeAttribute = { request, answer in
        guard request.first == 0x0A else { return [answer] }
        return Self.lengths.map { Filling.zeros.pdu(opcode, $0) } + [answer]
      }
      scene.program.read("FF31")
      await scene.world.advance(by: .milliseconds(600))
      // A Read Response without a value is valid; an Error Response must contain the request's opcode.
      #expect(scene.program.told == [opcode == 0x0B ? "value FF31 " : honest], "opcode \(opcode)")
    }
    scene.attacker.forgeAttribute = { [$1] }
    scene.program.forget()
    scene.program.read("FF31")
    await scene.world.advance(by: .milliseconds(200))
    #expect(scene.program.told == [honest])
    #expect(scene.attacker.connectionCount == 1)
  }

  @Test(
    "A1 each response to each request of a client, at each length, ends the request once, with a result or an error",
    arguments: [1, 2] as [UInt64])
  func responses(_ seed: UInt64) async throws {
    let entropy = SeededEntropy(seed: seed)
    let scene = try await AttackedExplorer.start { $0.receiveMTU = ATTLimits.defaultMTU }
    // A write of 60 octets is prepared in parts and executed; a read of more than 22 is read in parts.
    let operations: [(UInt8, UInt8, () -> Void)] = [
      (0x0A, 0x0B, { scene.program.read("FF32") }), (0x12, 0x13, { scene.program.write(Data([1]), to: "FF32") }),
      (0x16, 0x17, { scene.program.write(Data(count: 60), to: "FF32") }),
      (0x18, 0x19, { scene.program.write(Data(count: 60), to: "FF32") }),
    ]
    for (request, response, operation) in operations {
      for length in Self.lengths.dropFirst() {
        for opcode in [response, 0x01] {
          var body = entropy.octets(length - 1)
          if opcode == 0x01, length > 1 { body[0] = request }
          scene.program.forget()
          scene.attacker.forgeAttribute = { asked, answer in
            asked.first == request ? [[opcode] + body, answer] : [answer]
          }
          operation()
          await scene.world.advance(by: .seconds(1))
          #expect(scene.program.told.count == 1, "request \(request), \(opcode) of \(length) octets, seed \(seed)")
        }
      }
    }
    #expect(scene.attacker.isConnected && scene.attacker.connectionCount == 1)
  }
}
