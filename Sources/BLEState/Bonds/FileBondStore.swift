import BLECore
import BLECrypto
import BLEFiles
import BLEHost
import Dispatch
import Synchronization

/// The bonds of one user of one machine: a file for each adapter, in a folder that is private to the user.
///
/// Updates other than of keys are written on a queue of the store, batched over a fifth of a second. Keys are written before the
/// call returns, which waits for the disk and for other processes that write. If no file can be created at all, as in a container
/// without a home folder, bonds last as long as the process; if only the disk is full, no bonds are made.
///
/// Changes of other processes are noticed when they are made: links to devices whose bond was removed end. Reading takes no lock.
///
/// `Sendable`: pending updates and reported versions are behind a mutex that is held only briefly; the files are used under another
/// mutex.
public final class FileBondStore: BondStore {
  private struct Files: ~Copyable {
    var keys: [DeviceAddress: SecretKey] = [:]
    var files: [DeviceAddress: OpenFile] = [:]
    var watch: BondWatch?
  }

  /// One file; used only under the mutex of `Files`.
  private final class OpenFile {
    var file: BondFile
    init(_ file: consuming BondFile) { self.file = file }
  }

  private struct Shared {
    /// Updated bonds that are not written yet.
    var updated: [DeviceAddress: [DeviceAddress: Bond]] = [:]
    var isWriteScheduled = false
    /// The version of each file that was last returned by `externalChanges`, or written by this process.
    var reported: [DeviceAddress: FileVersion] = [:]
    /// The version of each file that this process is about to replace, under the file's lock: any other is its own.
    var replaced: [DeviceAddress: FileVersion?] = [:]
    var changed: (@Sendable () -> Void)?

    /// Whether this version of a file has something that another process wrote and that was not reported.
    func isExternal(_ version: FileVersion, _ adapter: DeviceAddress) -> Bool {
      if let replaced = replaced[adapter], version != replaced { return false }
      return reported[adapter].map { $0 != version } ?? false
    }
  }

  private static let writeDelay = DispatchTimeInterval.milliseconds(200)

  private let folder: String
  private let log: Logger
  private let files = Mutex(Files())
  private let shared = Mutex(Shared())
  private let queue = DispatchQueue(label: "swift-corebluetooth.bonds", qos: .utility)

  private let lockLimit: Int

  /// - Parameter folder: created if it is missing, private to this user.
  public convenience init(folder: String, log: Logger = .silent) {
    self.init(folder: folder, log: log, lockLimit: FileLock.usualLimit)
  }

  /// - Parameter lockLimit: how long another process may hold the lock before storing fails, in milliseconds.
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
        // The folder is known to exist only now.
        if files.watch == nil, shared.withLock({ $0.changed != nil }) {
          files.watch = BondWatch(folder: folder) { [weak self] in self?.shared.withLock { $0.changed }?() }
        }
      } catch {
        // There may be room later; until then storing fails.
        guard error.kind == .noRoom else {
          log.log(.warning, "\(error): bonds will be lost when this process ends")
          return records
        }
        log.log(.error, "\(error): devices cannot be bonded before there is room")
      }
      let version = open.file.version
      shared.withLock { $0.reported[adapter] = version }
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

  public func externalChanges(of adapter: DeviceAddress) -> [Bond]? {
    let path = BondFile.path(adapter, folder)
    guard let seen = FileVersion(of: path), shared.withLock({ $0.isExternal(seen, adapter) }) else { return nil }
    guard let (version, records) = try? BondFile.whole(path, of: adapter) else {
      // An invalid file is handled once, on the queue, because renaming it needs the lock.
      shared.withLock { $0.reported[adapter] = seen }
      queue.async { [self] in check(adapter) }
      return nil
    }
    return shared.withLock { shared in
      // This process may have replaced the file since.
      guard shared.isExternal(version, adapter) else { return nil }
      shared.reported[adapter] = version
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
        log.log(.warning, "\(error): the subscriptions of bonded devices could not be stored")
      }
    }
  }

  private func change(_ adapter: DeviceAddress, _ body: (inout BondRecords) -> Void) throws(BondStoreError) {
    let failure = files.withLock { files -> BondStoreError? in
      guard let open = files.files[adapter], let key = files.keys[adapter] else { return nil }
      do throws(PrivateFileError) {
        try PrivateFolder.make(folder)
        defer { shared.withLock { $0.replaced[adapter] = nil } }
        let before = try open.file.change(newKey: key, report) { records in
          let replaced = FileVersion(of: BondFile.path(adapter, folder))
          shared.withLock { $0.replaced[adapter] = .some(replaced) }
          body(&records)
        }
        let version = open.file.version
        let changed = shared.withLock { shared in
          // A version written by this process is not an external change, unless it includes one of another process: that is
          // reported now, because it was not while the file was being replaced.
          if shared.reported[adapter] == before { shared.reported[adapter] = version }
          shared.replaced[adapter] = nil
          return shared.reported[adapter] == version ? nil : shared.changed
        }
        changed?()
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
