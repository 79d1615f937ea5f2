import BLECapture
import BLECore
import BLEHCI
import BLEWire
import Testing

@testable import BLEDefaultStack

@Suite("The last packets of an adapter")
struct RecentPacketsTests {
  private static func event(_ octets: [UInt8]) -> HCIPacket { HCIPacket(kind: .event, octets: octets) }
  private static let report = event([0x3E, 14, 0x0D] + [UInt8](repeating: 1, count: 100))
  private static let other = event([0x0E, 4, 1, 3, 12, 0])

  private static func numbers(_ recent: RecentPackets, reports: Bool = true) -> [UInt64] {
    recent.packets(reports: reports).map(\.number)
  }

  @Test("I15.1 reports of advertisements displace each other, and nothing else; the order is that of the packets")
  func reports() {
    let recent = RecentPackets(origin: .virtualOrigin, limit: 4_000)
    for _ in 0..<3 { recent.tapDidHear(Self.other, .toHost, at: .zero) }
    for _ in 0..<10_000 { recent.tapDidHear(Self.report, .toHost, at: .zero) }
    recent.tapDidHear(Self.other, .toController, at: .zero)
    #expect(recent.count == 10_004)
    #expect(Self.numbers(recent, reports: false) == [1, 2, 3, 10_004])
    #expect(Self.numbers(recent) == [1, 2, 3] + Array(9_999...10_004))
  }

  @Test("I15.1 what is kept has a limit; a packet that is longer is not kept")
  func limit() {
    let recent = RecentPackets(origin: .virtualOrigin, limit: 4_000)
    for _ in 0..<1_000 { recent.tapDidHear(Self.other, .toHost, at: .zero) }
    #expect(Self.numbers(recent).count == 3_000 / 102 && Self.numbers(recent).last == 1_000)
    recent.tapDidHear(HCIPacket(kind: .aclData, octets: [UInt8](repeating: 0, count: 5_000)), .toHost, at: .zero)
    #expect(Self.numbers(recent).isEmpty && recent.count == 1_001)
  }

  @Test("I15.1 keys are left out: those of the controller, and those that pairing distributes")
  func secrets() throws {
    let recent = RecentPackets(origin: .virtualOrigin)
    let key = [UInt8](repeating: 0xAA, count: 16)
    recent.tapDidHear(
      HCIPacket(kind: .command, octets: [0x1A, 0x20, 18, 0x40, 0] + key), .toController, at: .zero)
    recent.tapDidHear(
      HCIPacket(kind: .aclData, octets: [0x40, 0x20, 21, 0, 17, 0, 6, 0, 6] + key), .toHost, at: .zero)
    #expect(recent.count == 2)
    for (_, packet) in recent.packets() {
      guard case .hci(let hci, _) = packet.content else { continue }
      #expect(!hci.octets.contains(0xAA) && hci.octets.count >= 21)
    }
  }

  @Test("I15.1 packets whose octets are cut or of no kind are kept as they are", arguments: [0, 1, 2, 3])
  func short(count: Int) {
    let recent = RecentPackets(origin: .virtualOrigin)
    for kind in [HCIPacketKind.command, .event, .aclData] {
      recent.tapDidHear(HCIPacket(kind: kind, octets: [UInt8](repeating: 0x3E, count: count)), .toHost, at: .zero)
    }
    #expect(recent.packets().count == 3)
  }
}
