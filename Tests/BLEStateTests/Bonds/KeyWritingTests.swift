import BLECore
import BLECrypto
import BLEHCI
import Foundation
import Glibc
import Synchronization
import Testing

@testable import BLEHost
@testable import BLEState

/// Keys that are written while another process holds the lock of their file, as a stopped process does.
@Suite struct KeyWritingTests {
  private let adapter = DeviceAddress(0xC000_0000_0001, kind: .random)

  /// A folder of keys, with another process that holds the lock of the adapter's file on request.
  private final class Folder: TestFolder {
    private var neighbour: Int32 = -1

    /// An open file description has a lock of its own, whichever process has it.
    func lock() throws {
      neighbour = Glibc.open(path + "/random-c00000000001.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(neighbour >= 0 && flock(neighbour, LOCK_EX | LOCK_NB) == 0)
    }

    /// Not only by closing it: a process that another test starts at this moment may have the description, too.
    func unlock() {
      flock(neighbour, LOCK_UN)
      close(neighbour)
      neighbour = -1
    }
  }

  /// The keys of a stack in real time.
  private final class Keys: @unchecked Sendable {
    let loop = DispatchStackLoop()
    let security: HostSecurity

    init(_ folder: Folder, lockLimit: Int) {
      security = HostSecurity(
        options: HostOptions(), entropy: SeededEntropy(seed: 1),
        store: FileBondStore(folder: folder.path, lockLimit: lockLimit), loop: loop, origin: loop.makeOrigin(),
        log: folder.logger)
    }

    /// Runs `job` on the loop and returns the result of its callback.
    func ask<Answer: Sendable>(_ job: @escaping @Sendable (HostSecurity, @escaping (Answer) -> Void) -> Void) async
      -> Answer
    {
      await withCheckedContinuation { continuation in
        loop.submit(from: .common) { [self] in job(security) { continuation.resume(returning: $0) } }
      }
    }

    var bondCount: Int {
      get async { await ask { security, answer in answer(security.records.bonds.count) } }
    }
  }

  private static func result(_ number: UInt64) -> PairingResult {
    PairingResult(
      security: PairingSecurity(method: .passkeyEntry, isSecureConnections: true, keySize: 16), isBonded: true,
      peerIdentity: DeviceAddress(0xC100_0000_0000 + number, kind: .random),
      keyAsCentral: LongTermKey(key: SecretKey(AESBlock(high: number, low: 1))),
      keyAsPeripheral: LongTermKey(key: SecretKey(AESBlock(high: number, low: 1))),
      peerIdentityResolvingKey: SecretKey(AESBlock(high: number, low: 2)))
  }

  private func open(_ folder: Folder, lockLimit: Int = 600_000) async -> Keys {
    let keys = Keys(folder, lockLimit: lockLimit)
    let adapter = adapter
    let _: Bool = await keys.ask { security, answer in security.begin(as: adapter) { answer(true) } }
    return keys
  }

  @Test("the loop does other work while another process holds the lock, and keys are stored when it is released")
  func theLoopDoesOtherWorkWhileAnotherProcessHolds()
    async throws
  {
    let folder = Folder()
    let keys = await open(folder)
    try folder.lock()
    let outcomes = Mutex<[String]>([])
    async let first: PairingFailure? = keys.ask { security, answer in
      security.keep(Self.result(1), isRequestedLocally: true) { failure in
        outcomes.withLock { $0.append("kept") }
        answer(failure)
      }
    }
    async let second: PairingFailure? = keys.ask { security, answer in
      security.keep(Self.result(2), isRequestedLocally: true, answer)
    }
    // These would wait for the lock if the loop did, and it is released only after them.
    for _ in 0..<3 { #expect(await keys.bondCount == 0) }
    #expect(outcomes.withLock { $0 } == [])
    folder.unlock()
    #expect(await first == nil)
    #expect(await second == nil)
    #expect(await keys.bondCount == 2)
    #expect(FileBondStore(folder: folder.path).open(adapter, newKey: SecretKey(AESBlock.zero)).bonds.count == 2)
  }

  @Test("a lock that is never released ends the pairing with an error that says so, and the next ones too")
  func aLockThatIsNeverReleasedEndsThePairing()
    async throws
  {
    let folder = Folder()
    let keys = await open(folder, lockLimit: 30)
    try folder.lock()
    for number in 1...2 as ClosedRange<UInt64> {
      let failure: PairingFailure? = await keys.ask { security, answer in
        security.keep(Self.result(number), isRequestedLocally: true, answer)
      }
      #expect(failure == .storageFailed)
    }
    #expect(folder.log.texts.count { $0.contains("another process holds the lock") } == 2)
    #expect(await keys.bondCount == 0)
    folder.unlock()
    let failure: PairingFailure? = await keys.ask { security, answer in
      security.keep(Self.result(3), isRequestedLocally: true, answer)
    }
    #expect(failure == nil)
    #expect(await keys.bondCount == 1)
  }

  @Test("existing keys are read while another process holds the lock")
  func existingKeysAreReadWhileAnotherProcessHoldsTheLock() async throws {
    let folder = Folder()
    let first = await open(folder)
    let failure: PairingFailure? = await first.ask { security, answer in
      security.keep(Self.result(1), isRequestedLocally: true, answer)
    }
    #expect(failure == nil)
    try folder.lock()
    let second = await open(folder)
    #expect(await second.bondCount == 1)
    // Nor does it take the lock to read others' changes.
    let news = FileBondStore(folder: folder.path)
    #expect(
      news.open(adapter, newKey: SecretKey(AESBlock.zero)).bonds.count == 1 && news.externalChanges(of: adapter) == nil)
    folder.unlock()
  }

  @Test("commands whose counters wait for the disk are accepted in order, each once, up to a limit")
  func commandsWhoseCountersWaitForTheDiskAreAccepted()
    async throws
  {
    let folder = Folder()
    let keys = await open(folder)
    let identity = try #require(Self.result(1).peerIdentity)
    let failure: PairingFailure? = await keys.ask { security, answer in
      security.keep(Self.result(1), isRequestedLocally: true, answer)
    }
    #expect(failure == nil)
    try folder.lock()
    let counters: [UInt32] = [5, 6, 5, 7] + [UInt32](8..<100)
    async let answers: [Bool] = keys.ask { security, answer in
      var answers = [Bool?](repeating: nil, count: counters.count)
      for (index, counter) in counters.enumerated() {
        security.accept(counter, of: identity) {
          answers[index] = $0
          if !answers.contains(nil) { answer(answers.map { $0 ?? false }) }
        }
      }
    }
    #expect(await keys.bondCount == 1)
    folder.unlock()
    let accepted = await answers
    #expect(Array(accepted.prefix(4)) == [true, true, false, true])
    // One is being written, and 64 wait for it.
    #expect(accepted.count { $0 } == 64 && accepted.prefix(65).dropFirst(3).allSatisfy { $0 })
  }

  @Test("a pending write is completed first when the stack is shut down")
  func aPendingWriteIsCompletedFirstWhenTheStack() async throws {
    let folder = Folder()
    let keys = await open(folder)
    try folder.lock()
    let order = Mutex<[String]>([])
    async let end: Bool = keys.ask { security, answer in
      security.keep(Self.result(1), isRequestedLocally: true) { _ in order.withLock { $0.append("kept") } }
      security.afterWriting {
        order.withLock { $0.append("ended") }
        answer(true)
      }
    }
    #expect(await keys.bondCount == 0)
    folder.unlock()
    _ = await end
    #expect(order.withLock { $0 } == ["kept", "ended"])
  }
}
