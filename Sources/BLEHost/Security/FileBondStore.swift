import BLECore
import BLECrypto
import BLEFiles
import Dispatch
import Synchronization

/// The bonds of one user of one machine, a file for each adapter, in a folder that nobody else may look into.
///
/// What is kept of a bond besides its keys is written on a thread of its own, a fifth of a second's changes at a time; keys
/// are written at once, and whoever asked waits for the disk. Where no file can be had at all, as in a container without a
/// home, bonds last as long as the process; where there is only no room, none are made.
///
/// What other processes change is noticed at once: links to devices whose bond was removed end.
///
/// `Sendable`: what is waiting is behind a mutex, and the files are touched only under another.
public final class FileBondStore: BondStore {
  private struct Files: ~Copyable {
    /// At most a few: a process has one adapter, or two.
    var keys: [DeviceAddress: SecretKey] = [:]
    var files: [DeviceAddress: LockedFile] = [:]
    var watch: BondWatch?
    var changed: (@Sendable () -> Void)?
  }

  /// One file; used under the mutex of `Files` only.
  private final class LockedFile {
    var file: BondFile
    init(_ file: consuming BondFile) { self.file = file }
  }

  private struct Waiting {
    var bonds: [DeviceAddress: [DeviceAddress: Bond]] = [:]
    var isWriteScheduled = false
  }

  private static let writeDelay = DispatchTimeInterval.milliseconds(200)

  private let folder: String
  private let log: Logger
  private let files = Mutex(Files())
  private let waiting = Mutex(Waiting())
  private let queue = DispatchQueue(label: "swift-corebluetooth.bonds", qos: .utility)

  /// - Parameter folder: is made, for this user only, where it is missing.
  public init(folder: String, log: Logger = .silent) {
    self.folder = folder
    self.log = log
  }

  public func open(_ adapter: DeviceAddress, newKey: SecretKey) -> BondRecords {
    files.withLock { files in
      let locked = LockedFile(BondFile(adapter: adapter, folder: folder))
      var records = BondRecords(identityResolvingKey: newKey)
      do throws(PrivateFileError) {
        try PrivateFolder.make(folder)
        records = try locked.file.open(newKey: newKey, report)
        // Only now is there a folder for certain.
        if files.watch == nil, let changed = files.changed { files.watch = BondWatch(folder: folder, changed) }
      } catch {
        // Room may come back, and until then nothing is said to be kept.
        guard error.kind == .noRoom else {
          log.log(.warning, "\(error): bonds last only as long as this process")
          return records
        }
        log.log(.error, "\(error): no device can be bonded with before there is room")
      }
      files.files[adapter] = locked
      files.keys[adapter] = records.identityResolvingKey
      return records
    }
  }

  public func keep(_ bond: Bond, of adapter: DeviceAddress) throws(BondStoreError) {
    waiting.withLock { _ = $0.bonds[adapter]?.removeValue(forKey: bond.identity) }
    try change(adapter) { $0.put(bond) }
  }

  public func remove(_ identities: [DeviceAddress], of adapter: DeviceAddress) throws(BondStoreError) {
    waiting.withLock { waiting in for identity in identities { waiting.bonds[adapter]?[identity] = nil } }
    try change(adapter) { $0.remove(identities) }
  }

  public func update(_ bond: Bond, of adapter: DeviceAddress) {
    let schedules = waiting.withLock { waiting in
      waiting.bonds[adapter, default: [:]][bond.identity] = bond
      defer { waiting.isWriteScheduled = true }
      return !waiting.isWriteScheduled
    }
    if schedules { queue.asyncAfter(deadline: .now() + Self.writeDelay) { [self] in flush() } }
  }

  public func news(of adapter: DeviceAddress) -> [Bond]? {
    files.withLock { files in
      do throws(PrivateFileError) {
        return try files.files[adapter]?.file.news(report)?.bonds
      } catch {
        log.log(.warning, "\(error)")
        return nil
      }
    }
  }

  public func watch(_ changed: @escaping @Sendable () -> Void) {
    files.withLock { files in
      files.changed = changed
      files.watch = nil
    }
  }

  public func flush() {
    let bonds = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.bonds
    }
    for (adapter, changed) in bonds where !changed.isEmpty {
      do throws(BondStoreError) {
        try change(adapter) { records in for bond in changed.values { records.update(bond) } }
      } catch {
        log.log(.warning, "\(error): what bonded devices subscribed to is not kept")
      }
    }
  }

  private func change(_ adapter: DeviceAddress, _ body: (inout BondRecords) -> Void) throws(BondStoreError) {
    let failure = files.withLock { files -> BondStoreError? in
      guard let locked = files.files[adapter], let key = files.keys[adapter] else { return nil }
      do throws(PrivateFileError) {
        try PrivateFolder.make(folder)
        try locked.file.change(newKey: key, report, body)
        return nil
      } catch {
        return BondStoreError(error.description)
      }
    }
    if let failure { throw failure }
  }

  private func report(_ message: String) { log.log(.error, message) }
}
