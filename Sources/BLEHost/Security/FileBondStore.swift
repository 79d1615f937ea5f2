import BLECore
import BLECrypto
import BLEFiles
import Dispatch
import Synchronization

/// The bonds of one user of one machine, a file for each adapter, in a folder that nobody else may look into.
///
/// What is kept of a bond besides its keys is written on a queue of its own, a fifth of a second's changes at a time; keys are
/// written at once, and whoever asked waits for the disk and for other processes that write. Where no file can be had at all, as in
/// a container without a home, bonds last as long as the process; where there is only no room, none are made.
///
/// What other processes change is noticed at once: links to devices whose bond was removed end. Reading that waits for nobody.
///
/// `Sendable`: what is waiting and what was told is behind a mutex that is held for moments; the files are written only under
/// another.
public final class FileBondStore: BondStore {
  private struct Files: ~Copyable {
    /// At most a few: a process has one adapter, or two.
    var keys: [DeviceAddress: SecretKey] = [:]
    var files: [DeviceAddress: OpenFile] = [:]
    var watch: BondWatch?
  }

  /// One file; used under the mutex of `Files` only.
  private final class OpenFile {
    var file: BondFile
    init(_ file: consuming BondFile) { self.file = file }
  }

  private struct Shared {
    /// Bonds of which something was updated that is not written.
    var updated: [DeviceAddress: [DeviceAddress: Bond]] = [:]
    var isWriteScheduled = false
    /// Which content of each file was told last, or is this process's own.
    var told: [DeviceAddress: FileVersion] = [:]
    var changed: (@Sendable () -> Void)?
  }

  private static let writeDelay = DispatchTimeInterval.milliseconds(200)

  private let folder: String
  private let log: Logger
  private let files = Mutex(Files())
  private let shared = Mutex(Shared())
  private let queue = DispatchQueue(label: "swift-corebluetooth.bonds", qos: .utility)

  private let lockLimit: Int

  /// - Parameter folder: is made, for this user only, where it is missing.
  public convenience init(folder: String, log: Logger = .silent) {
    self.init(folder: folder, log: log, lockLimit: FileLock.usualLimit)
  }

  /// - Parameter lockLimit: how long another process may hold the lock before what is to be kept is not, in milliseconds.
  init(folder: String, log: Logger = .silent, lockLimit: Int) {
    self.folder = folder
    self.log = log
    self.lockLimit = lockLimit
  }

  public var waitsForDisk: Bool { true }

  public func open(_ adapter: DeviceAddress, newKey: SecretKey) -> BondRecords {
    files.withLock { files in
      let open = OpenFile(BondFile(adapter: adapter, folder: folder, lockLimit: lockLimit))
      var records = BondRecords(identityResolvingKey: newKey)
      do throws(PrivateFileError) {
        try PrivateFolder.make(folder)
        records = try open.file.open(newKey: newKey, report)
        // Only now is there a folder for certain.
        if files.watch == nil, shared.withLock({ $0.changed != nil }) {
          files.watch = BondWatch(folder: folder) { [weak self] in self?.shared.withLock { $0.changed }?() }
        }
      } catch {
        // Room may come back, and until then nothing is said to be kept.
        guard error.kind == .noRoom else {
          log.log(.warning, "\(error): bonds last only as long as this process")
          return records
        }
        log.log(.error, "\(error): no device can be bonded with before there is room")
      }
      let version = open.file.version
      shared.withLock { $0.told[adapter] = version }
      files.files[adapter] = open
      files.keys[adapter] = records.identityResolvingKey
      return records
    }
  }

  public func keep(_ bond: Bond, of adapter: DeviceAddress) throws(BondStoreError) {
    shared.withLock { _ = $0.updated[adapter]?.removeValue(forKey: bond.identity) }
    try change(adapter) { $0.put(bond) }
  }

  public func keepCounters(of bond: Bond, of adapter: DeviceAddress) throws(BondStoreError) {
    shared.withLock { $0.updated[adapter]?[bond.identity]?.signing = bond.signing }
    var isThere = true
    try change(adapter) { isThere = $0.putCounters(of: bond) }
    if !isThere { throw .gone(bond) }
  }

  public func remove(_ identities: [DeviceAddress], of adapter: DeviceAddress) throws(BondStoreError) {
    shared.withLock { shared in for identity in identities { shared.updated[adapter]?[identity] = nil } }
    try change(adapter) { $0.remove(identities) }
  }

  public func update(_ bond: Bond, of adapter: DeviceAddress) {
    let schedules = shared.withLock { shared in
      shared.updated[adapter, default: [:]][bond.identity] = bond
      defer { shared.isWriteScheduled = true }
      return !shared.isWriteScheduled
    }
    if schedules { queue.asyncAfter(deadline: .now() + Self.writeDelay) { [self] in flush() } }
  }

  public func news(of adapter: DeviceAddress) -> [Bond]? {
    let path = BondFile.path(adapter, folder)
    guard let told = shared.withLock({ $0.told[adapter] }), let version = FileVersion(of: path), version != told else {
      return nil
    }
    guard let (version, records) = try? BondFile.whole(path, of: adapter) else {
      // Not to be told of it again and again; what it is to be done with needs the lock.
      shared.withLock { $0.told[adapter] = version }
      queue.async { [self] in check(adapter) }
      return nil
    }
    return shared.withLock { shared in
      shared.told[adapter] = version
      var records = records
      for bond in shared.updated[adapter, default: [:]].values { records.update(bond) }
      return records.bonds
    }
  }

  public func watch(_ changed: @escaping @Sendable () -> Void) { shared.withLock { $0.changed = changed } }

  public func flush() {
    let updated = shared.withLock { shared in
      defer {
        shared.updated = [:]
        shared.isWriteScheduled = false
      }
      return shared.updated
    }
    for (adapter, bonds) in updated where !bonds.isEmpty {
      do throws(BondStoreError) {
        try change(adapter) { records in for bond in bonds.values { records.update(bond) } }
      } catch {
        log.log(.warning, "\(error): what bonded devices subscribed to is not kept")
      }
    }
  }

  private func change(_ adapter: DeviceAddress, _ body: (inout BondRecords) -> Void) throws(BondStoreError) {
    let failure = files.withLock { files -> BondStoreError? in
      guard let open = files.files[adapter], let key = files.keys[adapter] else { return nil }
      do throws(PrivateFileError) {
        try PrivateFolder.make(folder)
        let before = try open.file.change(newKey: key, report, body)
        let version = open.file.version
        // What this process has written is no news, unless another's came with it.
        shared.withLock { if $0.told[adapter] == before { $0.told[adapter] = version } }
        return nil
      } catch {
        return BondStoreError(error.description)
      }
    }
    if let failure { throw failure }
  }

  private func check(_ adapter: DeviceAddress) {
    files.withLock { files in
      do throws(PrivateFileError) {
        try files.files[adapter]?.file.check(report)
      } catch {
        log.log(.warning, "\(error)")
      }
    }
  }

  private func report(_ message: String) { log.log(.error, message) }
}
