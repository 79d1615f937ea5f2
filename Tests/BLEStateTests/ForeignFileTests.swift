import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import Foundation
import Synchronization
import Testing

@testable import BLEState

/// Folders and files that another user made, or could have made, in place of this user's. Only root can make files of another
/// user: otherwise links and pipes take their place.
@Suite struct ForeignFileTests {
  private static let adapter = DeviceAddress(0xC000_0000_0001, kind: .random)
  private static let ownKey = SecretKey(AESBlock(high: 7, low: 8))
  private static let otherUser: uid_t = 4_242
  private static let isRoot = geteuid() == 0
  private static let peer = KnownPeer(
    identifier: PeerIdentifier(high: 1, low: 2), address: DeviceAddress(0xC0FF_EE00_0001, kind: .random), name: nil)

  private final class Folder: TestFolder {
    var state: String { path + "/state" }
    var bonds: String { state + "/bonds" }
    var bondFile: String { bonds + "/random-c00000000001" }
    var messages: String { log.texts.joined(separator: "\n") }
    func bondStore() -> FileBondStore { FileBondStore(folder: bonds, log: logger) }
    func peerStore() -> FilePeerStore { FilePeerStore(folder: state, entropy: SeededEntropy(seed: 5), log: logger) }

    /// The contents of the state folder: names, owners and octets.
    func inventory() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: path).sorted().map { name in
        let owner = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.ownerAccountID] as? Int ?? -1
        let octets = FileManager.default.contents(atPath: path + "/" + name)
        return "\(name) \(owner) \(octets?.base64EncodedString() ?? "")"
      }
    }
  }

  private static func bond(_ number: UInt64 = 1) throws -> Bond {
    let key = LongTermKey(key: SecretKey(AESBlock(high: number, low: 1)))
    return try #require(
      Bond(
        PairingResult(
          security: PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16), isBonded: true,
          peerIdentity: DeviceAddress(0xC100_0000_0000 + number, kind: .random), keyAsCentral: key,
          keyAsPeripheral: key)))
  }

  /// A folder with a bond in it, as a process has left it.
  private static func made() throws -> Folder {
    let folder = Folder()
    let store = folder.bondStore()
    _ = store.open(adapter, newKey: ownKey)
    try store.keep(try bond(), of: adapter)
    #expect(folder.messages == "")
    return folder
  }

  @Test("H8 I11.7 bonds are not read from a folder of another user, and nothing is written there", .enabled(if: isRoot))
  func foreignFolder() throws {
    for (number, mode) in [0o700, 0o755, 0o777].enumerated() {
      let folder = try Self.made()
      // The folder itself, or its parent.
      let foreign = number == 1 ? folder.state : folder.bonds
      chmod(foreign, mode_t(mode))
      chown(foreign, Self.otherUser, Self.otherUser)
      let before = try folder.inventory()
      let records = folder.bondStore().open(Self.adapter, newKey: SecretKey(AESBlock(high: 9, low: 9)))
      #expect(records.bonds.isEmpty && records.identityResolvingKey == SecretKey(AESBlock(high: 9, low: 9)))
      #expect(folder.messages.contains(foreign) && folder.messages.contains("another user"))
      #expect(throws: BondStoreError.self) { try BondFolder(folder.bonds).records(of: Self.adapter) }
      #expect(throws: BondStoreError.self) { try BondFolder(folder.bonds).adapters() }
      #expect(try folder.inventory() == before)
    }
  }

  @Test("H8 I11.7 a bond file of another user is set aside unread, with the reason", .enabled(if: isRoot))
  func foreignFile() throws {
    let folder = try Self.made()
    chown(folder.bondFile, Self.otherUser, Self.otherUser)
    #expect(throws: BondStoreError.self) { try BondFolder(folder.bonds).records(of: Self.adapter) }
    let records = folder.bondStore().open(Self.adapter, newKey: SecretKey(AESBlock(high: 9, low: 9)))
    #expect(records.bonds.isEmpty && records.identityResolvingKey == SecretKey(AESBlock(high: 9, low: 9)))
    #expect(folder.messages.contains("another user") && folder.messages.contains("unreadable-1"))
  }

  @Test("H8 I11.7 a link in place of the folder of bonds is refused")
  func linkedFolder() throws {
    let folder = try Self.made()
    let elsewhere = folder.path + "/elsewhere"
    try FileManager.default.moveItem(atPath: folder.bonds, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: folder.bonds, withDestinationPath: elsewhere)
    let before = try folder.inventory()
    #expect(folder.bondStore().open(Self.adapter, newKey: Self.ownKey).bonds.isEmpty)
    #expect(folder.messages.contains("symbolic link"))
    #expect(throws: BondStoreError.self) { try BondFolder(folder.bonds).records(of: Self.adapter) }
    #expect(try folder.inventory() == before)
  }

  @Test("H8 I11.7 permissions that would let others in are removed before use")
  func openToOthers() throws {
    let folder = try Self.made()
    for path in [folder.state, folder.bonds] { chmod(path, 0o777) }
    chmod(folder.bondFile, 0o666)
    #expect(folder.bondStore().open(Self.adapter, newKey: Self.ownKey).bonds.count == 1)
    #expect(folder.mode(folder.bonds) == 0o700 && folder.mode(folder.bondFile) == 0o600)
  }

  @Test(
    "H8 I11.7 a lock that is a link, a pipe or a folder is refused immediately", arguments: ["link", "pipe", "folder"])
  func locks(_ kind: String) throws {
    let folder = try Self.made()
    let lock = folder.bondFile + ".lock"
    let target = folder.path + "/target"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
    unlink(lock)
    switch kind {
    case "link": symlink(target, lock)
    case "pipe": mkfifo(lock, 0o600)
    default: mkdir(lock, 0o700)
    }
    #expect(folder.bondStore().open(Self.adapter, newKey: Self.ownKey).bonds.isEmpty)
    #expect(folder.messages.contains(lock))
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
  }

  @Test(
    "H8 I11.7 peers are not read from another user's file, a link or a pipe", arguments: ["link", "pipe", "owner"])
  func peers(_ kind: String) throws {
    if kind == "owner", !Self.isRoot { return }
    let folder = Folder()
    let store = folder.peerStore()
    _ = store.open()
    store.remember(Self.peer)
    store.flush()
    #expect(folder.peerStore().open().peers.count == 1)
    let (path, moved) = (folder.state + "/peers", folder.state + "/moved")
    switch kind {
    case "link":
      rename(path, moved)
      symlink(moved, path)
    case "pipe":
      unlink(path)
      mkfifo(path, 0o600)
    default: chown(path, Self.otherUser, Self.otherUser)
    }
    #expect(folder.peerStore().open().peers.isEmpty)
    #expect(folder.messages.contains(path))
  }

  @Test("H8 I11.7 a preserved state of another user restores nothing", .enabled(if: isRoot))
  func states() throws {
    let folder = Folder()
    let key = PreservationKey(.central, "app")
    func store() -> FileStateStore {
      FileStateStore(
        folder: folder.state + "/managers", program: "app", adapter: "radio",
        peers: MemoryPeerStore(entropy: SeededEntropy(seed: 1)), loop: VirtualLoop(), log: folder.logger)
    }
    do {
      let first = store()
      let state = try #require(first.claim(key))
      state.source = { [1, 2, 3] }
      state.setChanged()
      first.flush {}
      first.wait()
    }
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.state + "/managers").first { !$0.contains(".") })
    let path = folder.state + "/managers/" + name
    chown(path, Self.otherUser, Self.otherUser)
    let state = try #require(store().claim(key))
    #expect(state.left == nil)
    #expect(folder.messages.contains("another user"))
  }

  @Test("I11.13 a dead writer's temporary file is removed by the next writer, and a running writer's is not")
  func leftovers() throws {
    let folder = try Self.made()
    // No process has a number above the limit of numbers, and process 1 never ends.
    let dead = folder.bondFile + ".99999999.new"
    let living = folder.bondFile + ".1.new"
    let strange = folder.bondFile + ".notes.new"
    for path in [dead, living, strange] { try Data("half".utf8).write(to: URL(fileURLWithPath: path)) }
    let store = folder.bondStore()
    _ = store.open(Self.adapter, newKey: Self.ownKey)
    try store.keep(try Self.bond(2), of: Self.adapter)
    #expect(access(dead, F_OK) != 0)
    #expect(access(living, F_OK) == 0 && access(strange, F_OK) == 0)
  }
}
