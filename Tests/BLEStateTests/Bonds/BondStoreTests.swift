import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import BLEState
import Foundation
import Synchronization
import Testing

@Suite struct BondStoreTests {
  private let adapter = DeviceAddress(0xC000_0000_0001, kind: .random)
  private let ownKey = SecretKey(AESBlock(high: 7, low: 8))

  private final class Folder: TestFolder {
    var files: [String] { files(in: path) }
  }

  /// A folder with the file of an adapter that has one bond, the store that wrote it, and the name of the file.
  private func bonded() throws -> (folder: Folder, store: FileBondStore, name: String) {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path, log: folder.logger)
    _ = store.open(adapter, newKey: ownKey)
    try store.keep(try bond(1), of: adapter)
    return (folder, store, try #require(folder.files.first { !$0.hasSuffix("lock") }))
  }

  private func bond(_ number: UInt64, method: PairingMethod = .passkeyEntry) throws -> Bond {
    func key(_ name: UInt64) -> SecretKey { SecretKey(AESBlock(high: number, low: name)) }
    var bond = try #require(
      Bond(
        PairingResult(
          security: PairingSecurity(method: method, isSecureConnections: false, keySize: 16), isBonded: true,
          peerIdentity: DeviceAddress(0xC100_0000_0000 + number, kind: .random),
          keyAsCentral: LongTermKey(key: key(1), encryptedDiversifier: 0x1234, randomNumber: 0xFEDC_BA98_7654_3210),
          keyAsPeripheral: LongTermKey(key: key(2), encryptedDiversifier: 1, randomNumber: 2),
          peerIdentityResolvingKey: key(3), localSigningKey: key(4), peerSigningKey: key(5))))
    bond.signing.nextLocal = 64
    bond.isUnconfirmed = true
    bond.signing.lastPeer = 12
    bond.clientState = GATTClientState(
      configurations: [AttributeHandle(3): .notification, AttributeHandle(9): .indication],
      supportedFeatures: .robustCaching, knownHash: [], databaseHash: [UInt8](0..<16))
    return bond
  }

  private func expectSame(_ one: Bond?, _ other: Bond) {
    #expect(one?.identity == other.identity)
    #expect(one?.keys.security == other.keys.security)
    #expect(one?.isUnconfirmed == other.isUnconfirmed)
    #expect(one?.keys.keyAsCentral == other.keys.keyAsCentral)
    #expect(one?.keys.keyAsPeripheral == other.keys.keyAsPeripheral)
    #expect(one?.keys.peerIdentityResolvingKey == other.keys.peerIdentityResolvingKey)
    #expect(one?.keys.localSigningKey == other.keys.localSigningKey)
    #expect(one?.keys.peerSigningKey == other.keys.peerSigningKey)
    #expect(one?.signing == other.signing)
    #expect(one?.clientState == other.clientState)
  }

  @Test("I11.8 whether keys were ever used again is stored with them")
  func whetherKeysWereEverUsedAgainIsStoredWithThem() throws {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path)
    _ = store.open(adapter, newKey: ownKey)
    for (number, isUnused) in [(1, true), (2, false), (3, true)] {
      var made = try bond(UInt64(number))
      made.isUnused = isUnused
      try store.keep(made, of: adapter)
    }
    var used = try bond(3)
    used.isUnused = false
    store.update(used, of: adapter)
    store.flush()
    let next = FileBondStore(folder: folder.path).open(adapter, newKey: ownKey)
    #expect(next.bonds.map(\.isUnused) == [true, false, false])
    expectSame(next.bonds.first, try bond(1))
  }

  @Test("stored bonds are there for the next process, for this user only")
  func storedBondsAreThereForTheNextProcess() throws {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path)
    #expect(store.open(adapter, newKey: ownKey).bonds.isEmpty)
    try store.keep(try bond(1), of: adapter)
    try store.keep(try bond(2, method: .numericComparison), of: adapter)
    let records = FileBondStore(folder: folder.path).open(adapter, newKey: SecretKey(AESBlock.zero))
    #expect(records.identityResolvingKey == ownKey)
    #expect(records.bonds.count == 2)
    expectSame(records.bonds.first, try bond(1))
    expectSame(records.bonds.last, try bond(2, method: .numericComparison))
    #expect(folder.mode(folder.path) == 0o700)
    for file in folder.files { #expect(folder.mode(folder.path + "/" + file) == 0o600) }
  }

  @Test("an adapter with another address has bonds of its own")
  func anAdapterWithAnotherAddressHasBondsOfItsOwn() throws {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path)
    _ = store.open(adapter, newKey: ownKey)
    try store.keep(try bond(1), of: adapter)
    let other = DeviceAddress(adapter.value, kind: .public)
    #expect(store.open(other, newKey: ownKey).bonds.isEmpty)
    // Renaming a file does not make it another adapter's either.
    let name = try #require(folder.files.first { $0.hasPrefix("random") && !$0.hasSuffix("lock") })
    let stolen = folder.path + "/" + name.replacingOccurrences(of: "random", with: "public")
    try FileManager.default.removeItem(atPath: stolen)
    try FileManager.default.copyItem(atPath: folder.path + "/" + name, toPath: stolen)
    #expect(FileBondStore(folder: folder.path).open(other, newKey: ownKey).bonds.isEmpty)
  }

  @Test("two processes that pair simultaneously lose nothing, and each reads the other's bonds")
  func twoProcessesThatPairSimultaneouslyLoseNothing() throws {
    let folder = Folder()
    let (one, two) = (FileBondStore(folder: folder.path), FileBondStore(folder: folder.path))
    _ = one.open(adapter, newKey: ownKey)
    _ = two.open(adapter, newKey: ownKey)
    DispatchQueue.concurrentPerform(iterations: 20) { number in
      guard let bond = try? bond(UInt64(number) + 1) else { return }
      try? (number % 2 == 0 ? one : two).keep(bond, of: adapter)
    }
    #expect(FileBondStore(folder: folder.path).open(adapter, newKey: ownKey).bonds.count == 20)
    _ = one.externalChanges(of: adapter)
    _ = two.externalChanges(of: adapter)
    #expect(one.externalChanges(of: adapter) == nil && two.externalChanges(of: adapter) == nil)
    try one.remove([try bond(3).identity], of: adapter)
    #expect(two.externalChanges(of: adapter)?.count == 19)
    // A change to a bond that was removed does not restore it.
    two.update(try bond(3), of: adapter)
    two.flush()
    #expect(FileBondStore(folder: folder.path).open(adapter, newKey: ownKey).bonds.count == 19)
  }

  @Test("a folder shows the bonds of all adapters, and leaves files that it cannot read unchanged")
  func aFolderShowsTheBondsOfAllAdapters() throws {
    let folder = Folder()
    let bonds = BondFolder(folder.path)
    #expect(try bonds.adapters().isEmpty && folder.files.isEmpty)
    let other = DeviceAddress(0x0200_0000_0007, kind: .public)
    let store = FileBondStore(folder: folder.path)
    for adapter in [adapter, other] { _ = store.open(adapter, newKey: ownKey) }
    try store.keep(try bond(1), of: adapter)
    try store.keep(try bond(2), of: other)
    // Locks, temporary files and unrelated files are no adapters.
    for name in ["notes", "public-", "random-00000000000", "public-0200000000070", "public-+20000000007", "public-1-2"]
    {
      try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }
    #expect(try bonds.adapters() == [other, adapter])
    expectSame(try bonds.records(of: adapter).bonds.first, try bond(1))
    try bonds.remove([try bond(1).identity], of: adapter)
    let left = try bonds.records(of: adapter)
    #expect(left.bonds.isEmpty && left.identityResolvingKey == ownKey)
    expectSame(try bonds.records(of: other).bonds.first, try bond(2))

    let path = folder.path + "/public-020000000007"
    var octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    octets[octets.count / 2] ^= 1
    try Data(octets).write(to: URL(fileURLWithPath: path))
    #expect(throws: BondStoreError.self) { try bonds.records(of: other) }
    #expect(throws: BondStoreError.self) { try bonds.remove([try bond(2).identity], of: other) }
    #expect(throws: BondStoreError.self) { try bonds.records(of: DeviceAddress(1, kind: .public)) }
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == octets)
  }

  @Test("another process's changes are reported also where this one has written since")
  func anotherProcesssChangesAreReportedAlsoWhereThis() throws {
    let folder = Folder()
    let (one, two) = (FileBondStore(folder: folder.path), FileBondStore(folder: folder.path))
    for store in [one, two] { _ = store.open(adapter, newKey: ownKey) }
    for number in 1...2 { try one.keep(try bond(UInt64(number)), of: adapter) }
    #expect(two.externalChanges(of: adapter)?.count == 2 && one.externalChanges(of: adapter) == nil)
    two.update(try bond(2), of: adapter)
    try one.remove([try bond(1).identity], of: adapter)
    two.flush()
    #expect(two.externalChanges(of: adapter)?.map(\.identity) == [try bond(2).identity])
    #expect(two.externalChanges(of: adapter) == nil)
    #expect(one.externalChanges(of: adapter)?.count == 1)
    #expect(one.externalChanges(of: adapter) == nil)
  }

  @Test("I12.7 what this process writes is never reported as a change by another, at whatever moment it is asked for")
  func ownChanges() throws {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path)
    _ = store.open(adapter, newKey: ownKey)
    let isOver = Mutex(false)
    let foreign = Mutex(0)
    let (reader, group) = (DispatchQueue(label: "reader"), DispatchGroup())
    reader.async(group: group) { [adapter] in
      while !isOver.withLock({ $0 }) {
        if store.externalChanges(of: adapter) != nil { foreign.withLock { $0 += 1 } }
      }
    }
    for number in 0..<200 { try store.keep(try bond(UInt64(number % 8) + 1), of: adapter) }
    #expect(foreign.withLock { $0 } == 0)
    // Nor is another process's lost.
    try BondFolder(folder.path).remove([try bond(1).identity], of: adapter)
    for number in 2...8 { try store.keep(try bond(UInt64(number)), of: adapter) }
    isOver.withLock { $0 = true }
    group.wait()
    #expect(foreign.withLock { $0 } > 0 || store.externalChanges(of: adapter) != nil)
  }

  @Test("every observer is notified of bonds that another process removes")
  func everyObserverIsNotifiedOfBondsThatAnotherProcessRemoves() async throws {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path)
    // Its files are removed with it.
    defer { withExtendedLifetime(folder) {} }
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    store.watch { continuation.yield() }
    _ = store.open(adapter, newKey: ownKey)
    try store.keep(try bond(1), of: adapter)
    #expect(store.externalChanges(of: adapter) == nil)
    try BondFolder(folder.path).remove([try bond(1).identity], of: adapter)
    for await _ in changes {
      guard let bonds = store.externalChanges(of: adapter) else { continue }
      #expect(bonds.isEmpty)
      break
    }
  }

  @Test("a file cut short at any octet, or with any octet changed, is no bond file")
  func aFileCutShortAtAnyOctet() throws {
    var records = BondRecords(identityResolvingKey: ownKey)
    for number in 1...2 as ClosedRange<UInt64> { records.bonds.append(try bond(number)) }
    let whole = BondText.encode(records, of: adapter)
    #expect(BondText.decode(whole, of: adapter)?.bonds.count == 2)
    for length in 0..<whole.count { #expect(BondText.decode(Array(whole.prefix(length)), of: adapter) == nil) }
    for index in whole.indices {
      for mask in [0x01, 0x20, 0x80] as [UInt8] {
        var changed = whole
        changed[index] ^= mask
        // The check is a number: its digits may be lower or upper case.
        let isSameNumber = changed[index] == UInt8(ascii: "A") &+ (whole[index] &- UInt8(ascii: "a"))
        #expect(BondText.decode(changed, of: adapter) == nil || isSameNumber, "octet \(index)")
      }
    }
    #expect(BondText.decode(whole + [0x0A], of: adapter) == nil)
    #expect(BondText.decode(whole, of: DeviceAddress(adapter.value, kind: .public)) == nil)
  }

  @Test("bonds that are read, written and read again are the same")
  func bondsThatAreRead() throws {
    var records = BondRecords(identityResolvingKey: ownKey)
    for number in 1...2 as ClosedRange<UInt64> { records.bonds.append(try bond(number)) }
    let whole = BondText.encode(records, of: adapter)
    let body = Array(whole[...(whole.dropLast().lastIndex(of: 0x0A) ?? 0)])
    let seed: UInt64 = 0xB0_4D5
    let entropy = SeededEntropy(seed: seed)
    let characters = Array("0123456789abcdefABF:- \n+x".utf8)
    var readings = 0
    for _ in 0..<20_000 {
      var changed = body
      for _ in 0..<2 {
        let index = Int(entropy.uniform(0..<UInt64(body.count)))
        changed[index] = characters[Int(entropy.uniform(0..<UInt64(characters.count)))]
      }
      // With its matching check: what an attacker, or another version, could write.
      let check = String(StoredText.check(changed), radix: 16)
      let end = "end 2 \(String(repeating: "0", count: 8 - check.count))\(check)\n"
      guard let read = BondText.decode(changed + Array(end.utf8), of: adapter) else { continue }
      readings += 1
      let written = BondText.encode(read, of: adapter)
      #expect(BondText.decode(written, of: adapter).map { BondText.encode($0, of: adapter) } == written, "seed \(seed)")
    }
    #expect(readings > 1_000)
  }

  @Test("a file that is truncated, changed or foreign is set aside and logged, and never overwritten")
  func aFileThatIsTruncated() throws {
    let (source, _, name) = try bonded()
    let whole = source.read(source.path + "/" + name)
    var changed = whole
    changed[whole.count / 2] ^= 1
    let damaged = [
      [], Array(whole.dropLast()), changed, Array("something else\n".utf8), [UInt8](repeating: 0xFF, count: 5_000),
    ]
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/" + name
    for (index, octets) in damaged.enumerated() {
      folder.write(octets, to: path)
      let records = FileBondStore(folder: folder.path, log: folder.logger).open(adapter, newKey: ownKey)
      #expect(records.bonds.isEmpty, "damage \(index)")
      let kept = path + ".unreadable-\(index + 1)"
      #expect(folder.files.contains(name + ".unreadable-\(index + 1)") && folder.read(kept) == octets)
      #expect(folder.log.texts.count == index + 1)
      #expect(folder.log.texts.last?.contains(kept) == true)
    }
  }

  @Test(
    "a file that can never be read is set aside and logged, and a new one is made",
    arguments: ["pipe", "folder", "link", "file too large"])
  func aFileThatCanNeverBeReadIsSetAside(_ what: String) throws {
    let (folder, _, name) = try bonded()
    let path = folder.path + "/" + name
    try FileManager.default.removeItem(atPath: path)
    let target = folder.path + "/target"
    folder.write(Array("precious".utf8), to: target)
    switch what {
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    case "folder": #expect(mkdir(path, 0o700) == 0)
    case "link": #expect(symlink(target, path) == 0)
    default:
      folder.write([], to: path)
      #expect(truncate(path, 1 << 40) == 0)
    }
    let next = FileBondStore(folder: folder.path, log: folder.logger)
    #expect(next.open(adapter, newKey: ownKey).bonds.isEmpty)
    #expect(folder.log.texts.count == 1)
    #expect(folder.log.texts.last?.contains(path + ".unreadable-1") == true)
    #expect(folder.files.contains(name + ".unreadable-1"))
    try next.keep(try bond(1), of: adapter)
    #expect(FileBondStore(folder: folder.path).open(adapter, newKey: ownKey).bonds.count == 1)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
  }

  @Test("on a full disk storing fails, stored bonds stay, and new room is used")
  func onAFullDiskStoringFails() async {
    await #expect(processExitsWith: .success) {
      let tests = BondStoreTests()
      let folder = Folder()
      let (old, empty) = (folder.path + "/old", folder.path + "/new")
      let store = FileBondStore(folder: old)
      _ = store.open(tests.adapter, newKey: tests.ownKey)
      try store.keep(try tests.bond(1), of: tests.adapter)
      // No file can grow in this process.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let unlimited = limit
      limit.rlim_cur = 0
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let late = FileBondStore(folder: empty, log: folder.logger)
      let nothing = late.open(tests.adapter, newKey: tests.ownKey).bonds.isEmpty
      var refusals = 0
      for store in [store, late] {
        do { try store.keep(try tests.bond(2), of: tests.adapter) } catch is BondStoreError { refusals += 1 }
      }
      limit = unlimited
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let kept = FileBondStore(folder: old).open(tests.adapter, newKey: tests.ownKey).bonds.map(\.identity)
      let isOldThere = kept == [try tests.bond(1).identity]
      try late.keep(try tests.bond(2), of: tests.adapter)
      let count = FileBondStore(folder: empty).open(tests.adapter, newKey: tests.ownKey).bonds.count
      let isTold = folder.log.texts.count == 1 && folder.log.texts[0].contains("before there is room")
      exit(nothing && refusals == 2 && isOldThere && count == 1 && isTold ? 0 : 1)
    }
  }

  @Test("two processes that bond simultaneously in one folder lose nothing")
  func twoProcessesThatBondSimultaneouslyInOneFolderLoseNothing() async throws {
    let folder = Folder()
    let store = FileBondStore(folder: folder.path)
    _ = store.open(adapter, newKey: ownKey)
    async let other: Void = {
      await #expect(processExitsWith: .success) { [path = folder.path as String] in
        let tests = BondStoreTests()
        let store = FileBondStore(folder: path)
        _ = store.open(tests.adapter, newKey: tests.ownKey)
        for number in 101...140 as ClosedRange<UInt64> { try store.keep(try tests.bond(number), of: tests.adapter) }
      }
    }()
    for number in 1...40 as ClosedRange<UInt64> {
      try store.keep(try bond(number), of: adapter)
      // For as long as the other process runs: it takes a while to start.
      try await Task.sleep(for: .milliseconds(5))
    }
    await other
    #expect(FileBondStore(folder: folder.path).open(adapter, newKey: ownKey).bonds.count == 80)
  }

  @Test("where the folder cannot be written storing fails, and stored bonds are unchanged")
  func whereTheFolderCannotBeWrittenStoringFails() throws {
    let (folder, store, name) = try bonded()
    // A folder in place of the file that is to be written next: equivalent to a full disk, for root as well.
    let obstacle = "\(folder.path)/\(name).\(getpid()).new/x"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    #expect(throws: BondStoreError.self) { try store.keep(try bond(2), of: adapter) }
    let records = FileBondStore(folder: folder.path).open(adapter, newKey: ownKey)
    #expect(records.bonds.map(\.identity) == [try bond(1).identity])
  }

  @Test("the file contains nothing beyond its purpose, and prints no keys")
  func theFileContainsNothingBeyondItsPurpose() throws {
    #expect(!"\(try bond(1))".contains("0000000000000001"))
    #expect(!"\(BondRecords(identityResolvingKey: ownKey, bonds: [try bond(1)]))".contains("Storage"))
  }
}
