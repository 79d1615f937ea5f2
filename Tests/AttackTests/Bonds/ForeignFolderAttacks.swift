import BLECore
import BLEHost
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// A whole device whose folder of keys and peers belongs to another user, who knows the keys in it.
@Suite("Foreign folder attacks", .keepsCapture)
struct ForeignFolderAttacks {
  private static let otherUser: uid_t = 4_242
  private static let seed: UInt64 = 0xF0_1DE5

  /// What lies in a folder: names, owners and contents.
  private func inventory(_ folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map { name in
      let owner = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.ownerAccountID] as? Int ?? -1
      let octets = FileManager.default.contents(atPath: folder + "/" + name)
      return "\(name) \(owner) \(octets?.base64EncodedString() ?? "")"
    }
  }

  /// A device with that folder, and an attacker that is connected to it and has `key`.
  private func connected(_ folder: String) async throws -> AttackedPeripheral {
    try await AttackedPeripheral.start(in: World(seed: Self.seed), keepingPeersIn: folder) { $0.behave() }
  }

  @Test(
    "H8 I11.7 a device with another user's folder uses no key in it, bonds in memory only, and writes nothing",
    .enabled(if: geteuid() == 0, "only root can give a folder to another user"), arguments: [true, false])
  func foreignFolder(isWhole: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-foreign-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try await connected(folder)
    await first.pair()
    let address = first.device.address
    #expect(first.device.bonds.map(\.address) == [first.attacker.address])
    let key = try #require(first.attacker.results.first?.keyAsCentral?.key)
    await first.attacker.leave()
    // All of the first part is written before the folder changes its owner.
    try #require(first.device.options[CBManagerOptionAdapterKey] as? HostStack).flush()

    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where isWhole || name.hasPrefix("bonds") {
      chown(folder + "/" + name, Self.otherUser, Self.otherUser)
    }
    if isWhole { chown(folder, Self.otherUser, Self.otherUser) }
    let before = try inventory(folder).filter { isWhole || $0.hasPrefix("bonds") }
    let second = try await connected(folder)
    #expect(second.device.address == address && second.device.bonds.isEmpty)
    // The key is not accepted, and the value is refused.
    second.attacker.encrypt(with: key)
    await second.world.advance(by: .seconds(1))
    #expect(second.attacker.encryption.allSatisfy { !$0.isOn } && !second.attacker.encryption.isEmpty)
    if !second.attacker.isConnected { try await second.connect() }
    #expect(await second.attacker.ask("0a" + AttackedPeripheral.secret) == AttackedPeripheral.refusal("05"))
    // Pairing works, with keys that end with the process.
    await second.pair()
    #expect(second.device.bonds.map(\.address) == [second.attacker.address])
    #expect(await second.attacker.ask("0a" + AttackedPeripheral.secret) == ["0b736563726574"])
    second.device.flushPeers()
    #expect(try inventory(folder).filter { isWhole || $0.hasPrefix("bonds") } == before)
  }
}
