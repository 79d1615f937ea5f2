import BLECore
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Discovery answers that contradict themselves: an error in a bounded number of steps, and never a loop.
@Suite("A2 discovery", .keepsCapture)
struct DiscoveryAttacks {
  /// One forged answer to one kind of request.
  struct Lie: Sendable, CustomTestStringConvertible {
    let what: String
    /// The request's opcode, and the type that it contains, as octets.
    let request: UInt8
    let type: String
    /// The whole answer in hexadecimal; `first` stands for the starting handle of the request.
    let answer: String
    /// The step of the discovery that fails.
    let step: String

    var testDescription: String { "\(step): \(what)" }

    init(_ step: String, _ what: String, _ answer: String) {
      self.step = step
      self.what = what
      self.answer = answer
      switch step {
      case "services": (request, type) = (0x10, "0028")
      case "included": (request, type) = (0x08, "0228")
      case "characteristics": (request, type) = (0x08, "0328")
      default: (request, type) = (0x04, "")
      }
    }

    func matches(_ asked: [UInt8]) -> Bool {
      asked.first == request && asked.count >= 5 && asked.dropFirst(5).elementsEqual([UInt8](hexadecimal: type) ?? [])
    }

    func told(_ asked: [UInt8]) -> [UInt8] {
      let first = asked[1...2].hexadecimal
      let handle = UInt16(asked[1]) | UInt16(asked[2]) << 8
      let second = [UInt8(truncatingIfNeeded: handle &+ 1), UInt8(truncatingIfNeeded: (handle &+ 1) >> 8)].hexadecimal
      return [UInt8](
        hexadecimal: answer.replacingOccurrences(of: "first", with: first).replacingOccurrences(
          of: "next", with: second)) ?? []
    }
  }

  static let lies: [Lie] = [
    // Read By Group Type: length, then handle, end of the group, UUID.
    Lie("services", "pairs of 0 octets", "1100"),
    Lie("services", "pairs of 0 octets with a list", "1100firstfirst30ff"),
    Lie("services", "pairs of 1 octet", "1101firstfirst30ff"),
    Lie("services", "pairs without a UUID", "1104firstfirst"),
    Lie("services", "pairs with half a UUID", "1105firstfirst30"),
    Lie("services", "a UUID of 3 octets", "1107firstfirst30ff00"),
    Lie("services", "no pair", "1106"),
    Lie("services", "a remainder", "1106firstfirst30ff00"),
    Lie("services", "less than one pair", "1114firstfirst30ff"),
    Lie("services", "a group inside out", "1106nextfirst30ff"),
    Lie("services", "descending", "1106nextnext30fffirstfirst31ff"),
    Lie("services", "repeated", "1106firstfirst30fffirstfirst30ff"),
    Lie("services", "handle 0", "1106000000000030ff"),
    Lie("services", "handle 0 to a good end", "1106000010000000"),
    Lie("services", "something behind the last handle", "1106ffffffff30ffffffffff31ff"),
    // Read By Type for includes: length, then handle, first and last handle, UUID.
    Lie("included", "pairs of 0 octets", "0900"),
    Lie("included", "pairs of 1 octet", "0901first"),
    Lie("included", "pairs without a value", "0902first"),
    Lie("included", "a service inside out", "0908first1200100030ff"),
    Lie("included", "a service from handle 0", "0908first0000100030ff"),
    Lie("included", "half a UUID", "0907first1000120030"),
    Lie("included", "a remainder", "0908first1000120030ffff"),
    Lie("included", "repeated", "0908first1000120030fffirst1000120030ff"),
    Lie("included", "handle 0", "090800001000120030ff"),
    // Read By Type for characteristics: length, then handle, properties, handle of the value, UUID.
    Lie("characteristics", "pairs of 0 octets", "0900firstnext"),
    Lie("characteristics", "pairs of 0 octets with a list", "0900first02next31ff"),
    Lie("characteristics", "pairs of 1 octet", "0901first02next31ff"),
    Lie("characteristics", "pairs without a value", "0902first"),
    Lie("characteristics", "pairs with a UUID of no octets", "0905first02next"),
    Lie("characteristics", "a UUID of 4 octets", "0909first02next31ff0000"),
    Lie("characteristics", "a remainder", "0907first02next31ff00"),
    Lie("characteristics", "descending", "0907next02next31fffirst02next32ff"),
    Lie("characteristics", "repeated", "0907first02next31fffirst02next31ff"),
    Lie("characteristics", "handle 0", "0907000002010031ff"),
    // Find Information: format, then handle and type.
    Lie("descriptors", "format 0", "0500first0129"),
    Lie("descriptors", "format 3", "0503first0129"),
    Lie("descriptors", "format 255", "05fffirst0129"),
    Lie("descriptors", "no pair", "0501"),
    Lie("descriptors", "half a pair", "0501first"),
    Lie("descriptors", "a remainder", "0501first0129ff"),
    Lie("descriptors", "short types said to be long", "0502first0129"),
    Lie("descriptors", "descending", "0501next0129first0129"),
    Lie("descriptors", "repeated", "0501first0129first0129"),
    Lie("descriptors", "handle 0", "050100000129"),
    Lie("descriptors", "a length that is not there", "05"),
  ]

  @Test(
    "A2 each forged answer ends discovery with an error in bounded steps, and the next discovery finds everything",
    arguments: lies)
  func lie(_ lie: Lie) async throws {
    let scene = try await AttackedExplorer.start { attacker in
      attacker.forgeAttribute = { lie.matches($0) ? [lie.told($0)] : [$1] }
    }
    #expect(scene.program.told.filter { $0.contains("error") }.allSatisfy { $0.hasPrefix(lie.step) })
    #expect(!scene.program.isWalkSound, "\(scene.program.told)")
    #expect(scene.attacker.attributePDUs.count < 60)
    #expect(scene.world.now < .seconds(10))
    // The link has not ended, and an honest answer is accepted.
    #expect(scene.attacker.isConnected)
    scene.attacker.forgeAttribute = { [$1] }
    scene.program.forget()
    scene.program.walk()
    try await scene.world.wait(within: .seconds(10)) { scene.program.isDone }
    #expect(scene.program.isWalkSound)
    #expect(scene.program.peripheral?.services?.map(\.uuid.uuidString) == ["FF40", "FF30"])
    #expect(scene.program.characteristic("FF32")?.descriptors?.count == 2)
  }

  @Test("A2 a server that always repeats its answer, or always has one handle more, is asked a bounded number of times")
  func endless() async throws {
    // The whole range answered with its first handle, and every range said to hold a service of one handle.
    for answer in ["1106010001000a18", "1106firstfirst30ff"] {
      let lie = DiscoveryAttacks.Lie("services", "endless", answer)
      var asked = 0
      let scene = try await AttackedExplorer.start { attacker in
        attacker.forgeAttribute = { request, answer in
          guard lie.matches(request) else { return [answer] }
          asked += 1
          // After 500 services discovery ends, though the server has more.
          return asked > 500 ? [[0x01, 0x10, request[1], request[2], 0x0A]] : [lie.told(request)]
        }
      }
      #expect(asked <= 501)
      #expect(scene.attacker.isConnected)
      let isSound = answer.contains("first")
      // Each of the 500 is discovered too: two requests each at most, and one for what follows.
      #expect(scene.program.isWalkSound == isSound, "\(scene.program.told)")
      #expect(scene.attacker.attributePDUs.count < (isSound ? 1_600 : 30))
    }
  }

  @Test("A2 characteristics whose values lie outside their service, on each other or before themselves do no harm")
  func overlaps() async throws {
    for value in ["0000", "0100", "1500", "1600", "1700", "2000", "ffff"] {
      let lie = Lie("characteristics", "value at \(value)", "0907first1e\(value)32ff")
      let scene = try await AttackedExplorer.start { attacker in
        attacker.forgeAttribute = { lie.matches($0) ? [lie.told($0)] : [$1] }
      }
      #expect(scene.attacker.attributePDUs.count < 100)
      #expect(scene.attacker.isConnected)
      for service in scene.program.peripheral?.services ?? [] {
        for characteristic in service.characteristics ?? [] {
          scene.program.peripheral?.readValue(for: characteristic)
          scene.program.peripheral?.setNotifyValue(true, for: characteristic)
        }
      }
      await scene.world.advance(by: .seconds(2))
      #expect(scene.attacker.isConnected && scene.program.peripheral?.state == .connected)
    }
  }
}
