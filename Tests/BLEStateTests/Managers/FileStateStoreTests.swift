import BLEAdapter
import BLECore
import BLEHost
import Dispatch
import Glibc
import Testing

@testable import BLEState

/// A test's own state folder, removed when the test has ended, and stores on it as processes have them.
private final class StateFolder: TestFolder {
  let loop = VirtualLoop()

  var managers: String { path + "/deep/managers" }

  func store(program: String = "/usr/bin/app", adapter: String = "radio:default") -> FileStateStore {
    FileStateStore(
      folder: managers, program: program, adapter: adapter, peers: MemoryPeerStore(entropy: SeededEntropy(seed: 1)),
      loop: loop, log: logger)
  }

  var files: [String] { files(in: managers).filter { !$0.hasPrefix(".") } }

  /// The one state file.
  var file: String { managers + "/" + (files.first { !$0.contains(".") } ?? "none") }
}

/// The states of managers in files. A process that dies is a store that is released: its locks end with it.
@Suite("Preserved states in files")
struct FileStateStoreTests {
  private let folder = StateFolder()
  private let key = PreservationKey(.central, "main \n/../ 🦉")
  private let state = Array("{\"peers\":[]}".utf8)

  /// A process that preserves `octets` and dies.
  private func leave(_ octets: [UInt8]) {
    let store = folder.store()
    let state = store.claim(key)
    state?.source = { octets }
    state?.setChanged()
    store.flush {}
    store.wait()
  }

  @Test("a process's preserved state is there for the next, and removed when a manager has ended properly")
  func leaving() throws {
    leave(state)
    #expect(folder.files.count == 2)
    do {
      let store = folder.store()
      let next = try #require(store.claim(key))
      #expect(next.left == state)
      // Nothing was written: killed now, it is still there.
    }
    do {
      let store = folder.store()
      let next = try #require(store.claim(key))
      #expect(next.left == state)
      next.end()
      // The same program may have the same manager again immediately, and when nothing of the first one is left.
      let again = try #require(store.claim(key))
      #expect(again.left == nil && store.claim(key) == nil)
      again.end()
      store.wait()
      #expect(folder.files.isEmpty)
      let third = try #require(store.claim(key))
      #expect(third.left == nil && folder.store().claim(key) == nil)
    }
  }

  /// Blocks its callers until it is opened.
  private final class SlowPeers: PeerStore {
    let mayContinue = DispatchSemaphore(value: 0)
    func open() -> PeerRecords { PeerRecords(key: [], peers: []) }
    func remember(_ peer: KnownPeer) {}
    func externalChanges() -> [KnownPeer] { [] }
    func flush() { mayContinue.wait() }
  }

  @Test("the loop waits neither for a state that is being written nor for one that is being removed")
  func slowDisk() throws {
    let peers = SlowPeers()
    let store = FileStateStore(
      folder: folder.managers, program: "p", adapter: "a", peers: peers, loop: folder.loop, log: .silent)
    let first = try #require(store.claim(key))
    first.source = { [1] }
    first.setChanged()
    store.flush {}
    first.end()
    // Writing is blocked behind this; the test would never continue if the loop waited for it.
    let second = try #require(store.claim(key))
    second.source = { [2] }
    second.setChanged()
    store.flush {}
    for _ in 0..<2 { peers.mayContinue.signal() }
    store.wait()
    #expect(folder.read(folder.file).last == 2)
    withExtendedLifetime(second) {}
  }

  @Test("nothing to preserve is no file")
  func nothing() throws {
    leave(state)
    let store = folder.store()
    let next = try #require(store.claim(key))
    next.source = { nil }
    next.setChanged()
    store.flush {}
    store.wait()
    #expect(folder.files.count == 1 && folder.file.hasSuffix("none"))
  }

  @Test("changes made together are written together, ten times a second at most")
  func gathering() async throws {
    let store = folder.store()
    let claimed = try #require(store.claim(key))
    let count = Counter()
    claimed.source = {
      count.value += 1
      return [UInt8(count.value)]
    }
    let changes = LoopBound(claimed)
    for _ in 0..<100 {
      for _ in 0..<100 { folder.loop.submit(from: .common) { changes.value.setChanged() } }
      await folder.loop.run(until: .instant(folder.loop.now + .milliseconds(10)))
    }
    #expect((8...11).contains(count.value))
    // The last change is not lost.
    await folder.loop.run(until: .instant(folder.loop.now + .seconds(1)))
    store.flush {}
    store.wait()
    #expect(folder.read(folder.file).last == UInt8(count.value))
  }

  @Test("one manager at a time has a key; other keys, programs and adapters have their own")
  func alone() throws {
    let store = folder.store()
    let first = try #require(store.claim(key))
    #expect(store.claim(key) == nil && folder.store().claim(key) == nil)
    #expect(folder.log.texts.filter { $0.contains("another manager uses the restore identifier") }.count == 2)
    let others = [
      folder.store().claim(PreservationKey(.peripheral, key.identifier)),
      folder.store().claim(PreservationKey(.central, "other")), folder.store(program: "/usr/bin/other").claim(key),
      folder.store(adapter: "radio:default/other").claim(key),
    ]
    #expect(others.allSatisfy { $0 != nil && $0?.left == nil })
    withExtendedLifetime(first) {}
  }

  @Test(
    "a file that is damaged, foreign, of another version, empty or huge is set aside and logged, and a new one is made",
    arguments: 0..<6)
  func hostile(_ number: Int) throws {
    leave(state)
    var octets = folder.read(folder.file)
    switch number {
    case 0: octets.removeLast()
    case 1: octets = Array("hello\n".utf8)
    case 2: octets[24] = 0x32  // version 2
    case 3: octets = []
    case 4: octets += [UInt8](repeating: 0x20, count: 2 << 20)
    default: octets[octets.count - 3] ^= 1
    }
    let path = folder.file
    folder.write(octets, to: path)
    let store = folder.store()
    let next = try #require(store.claim(key))
    #expect(next.left == nil)
    #expect(folder.log.texts.contains { $0.contains("was renamed to") })
    let isThere = folder.read(path + ".bad") == octets
    #expect(isThere)
    next.source = { [1] }
    next.setChanged()
    store.flush {}
    store.wait()
    #expect(folder.read(path).last == 1)
  }

  @Test("every truncation and every changed octet is noticed")
  func damage() {
    leave(state)
    let path = folder.file
    let octets = folder.read(path)
    for count in 0..<octets.count {
      folder.write(Array(octets.prefix(count)), to: path)
      #expect(folder.store().claim(key)?.left == nil)
    }
    for index in octets.indices {
      var changed = octets
      changed[index] ^= 0x20
      folder.write(changed, to: path)
      #expect(folder.store().claim(key)?.left == nil)
    }
    folder.write(octets, to: path)
    #expect(folder.store().claim(key)?.left == state)
  }

  @Test("a pipe, a folder or a symbolic link in place of a file does no harm")
  func strangeFiles() throws {
    leave(state)
    let path = folder.file
    for make in [
      { mkfifo(path, 0o600) }, { mkdir(path, 0o700) }, { symlink("/etc/passwd", path) },
    ] {
      unlink(path)
      #expect(make() == 0)
      let next = try #require(folder.store().claim(key))
      #expect(next.left == nil)
      unlink(path + ".bad")
      rmdir(path + ".bad")
    }
  }

  @Test("a state that is too large is not stored, and where no folder can be made the log says so")
  func limits() throws {
    leave([UInt8](repeating: 0, count: 2 << 20))
    #expect(folder.file.hasSuffix("none"))
    #expect(folder.log.texts.contains { $0.contains("too large") })
    let nowhere = FileStateStore(
      folder: "/proc/none", program: "p", adapter: "a",
      peers: MemoryPeerStore(entropy: SeededEntropy(seed: 1)), loop: folder.loop,
      log: Logger(label: "", sink: folder.log))
    #expect(nowhere.claim(key) == nil)
    #expect(folder.log.texts.contains { $0.contains("no state is preserved") })
  }

  private final class Counter { var value = 0 }
}
