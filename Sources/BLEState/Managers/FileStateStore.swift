import BLEAdapter
import BLECore
import BLEFiles
import BLEHost
import Dispatch

/// The preserved states of one program's managers on one adapter, each in its own file in the user's state folder.
///
/// A new version is written to a temporary file and renamed, so that a complete state remains whenever the process dies. The manager
/// that has claimed a state holds a lock on it, which the operating system releases when the process dies. Changes are batched and
/// written at most ten times a second, on a queue of the store. Everything on the loop except where noted; the loop never waits for
/// another process.
public final class FileStateStore: StateStore {
  private let folder: String
  private let owner: String
  private let peers: any PeerStore
  private let loop: any StackLoop
  private let log: Logger
  private let files: FileQueue
  private var held: [ObjectIdentifier: FileState] = [:]
  /// The files of managers that have ended, by name, until they are removed.
  private var ending: [String: PreservedStateFile] = [:]

  /// - Parameters:
  ///   - folder: created if it is missing, private to this user.
  ///   - program: identifies the program across processes: the path of the executable.
  ///   - adapter: the adapter's name, because the same program is another device on another adapter.
  ///   - peers: stores the peers that states refer to. It is flushed before each state is written.
  public init(
    folder: String, program: String, adapter: String, peers: any PeerStore, loop: any StackLoop, log: Logger
  ) {
    self.folder = folder
    self.peers = peers
    owner = "\(program)\0\(adapter)"
    self.loop = loop
    self.log = log
    files = FileQueue(loop: loop, origin: loop.makeOrigin(), label: "swift-corebluetooth.state")
  }

  public func claim(_ key: PreservationKey) -> (any PreservedState)? {
    let name = "\(owner)\0\(key.role.rawValue)\0\(key.identifier)"
    ending = ending.filter { !$0.value.isRemoved }
    if let file = ending.removeValue(forKey: name), file.takeBack() { return makeState(file, name, isNew: true) }
    do throws(PrivateFileError) {
      try PrivateFolder.make(folder)
      guard let file = try PreservedStateFile(folder: folder, name: name) else {
        log.log(
          .warning,
          "another manager uses the restore identifier \(key.identifier): the state of this one is not preserved")
        return nil
      }
      return makeState(file, name, isNew: false)
    } catch {
      log.log(.warning, "\(error): no state is preserved for the restore identifier \(key.identifier)")
      return nil
    }
  }

  private func makeState(_ file: PreservedStateFile, _ name: String, isNew: Bool) -> FileState {
    let state = FileState(
      file, isNew: isNew, on: loop, queue: files.queue, peers: peers, log: log
    ) { [weak self] state in
      self?.held[ObjectIdentifier(state)] = nil
      self?.ending[name] = file
    }
    held[ObjectIdentifier(state)] = state
    return state
  }

  public func flush(_ completion: @escaping () -> Void) {
    for state in held.values { state.write() }
    files.perform({}, completion)
  }

  /// Returns when all writes so far are done. Not on the loop.
  func wait() { files.wait() }
}

/// One manager's state in a file.
private final class FileState: PreservedState, TimerTarget {
  /// How long changes are collected before they are written together.
  private static let batchDelay = StackDuration.milliseconds(2)
  private static let interval = StackDuration.milliseconds(100)

  let left: [UInt8]?
  var source: (() -> [UInt8]?)?
  private let file: PreservedStateFile
  private let loop: any StackLoop
  private let queue: DispatchQueue
  private let peers: any PeerStore
  private let log: Logger
  private let ended: (FileState) -> Void
  private var timer: TimerToken?
  private var lastWrite: StackInstant?
  private var hasEnded = false

  /// - Parameter isNew: whether the previous manager was of this process and has ended, so that the state is empty.
  init(
    _ file: PreservedStateFile, isNew: Bool, on loop: any StackLoop, queue: DispatchQueue, peers: any PeerStore,
    log: Logger, ended: @escaping (FileState) -> Void
  ) {
    self.file = file
    self.loop = loop
    self.queue = queue
    self.peers = peers
    self.log = log
    self.ended = ended
    do throws(PrivateFileError) {
      left = isNew ? nil : try file.read()
    } catch {
      left = nil
      setAside(because: "\(error)")
    }
  }

  func setChanged() {
    if timer != nil || hasEnded { return }
    let earliest = max(loop.now + Self.batchDelay, lastWrite.map { $0 + Self.interval } ?? loop.now)
    timer = loop.schedule(at: earliest, .background, self, tag: 0)
  }

  func timerFired(tag: Int) { write() }

  /// Writes pending changes.
  func write() {
    guard let timer else { return }
    loop.cancel(timer)
    self.timer = nil
    lastWrite = loop.now
    let octets = source?()
    queue.async { [file, peers, log] in
      peers.flush()
      do throws(PrivateFileError) {
        if let octets { try file.write(octets) } else { try file.clear() }
      } catch {
        log.log(.warning, "\(error): the state of a manager is not preserved")
      }
    }
  }

  func setAside(because reason: String) {
    let place = file.setAside()
    log.log(.error, "a preserved state is unusable and was renamed to \(place): \(reason)")
  }

  /// Ends the state. A new manager with the same key may be created immediately: it takes over the file in its current state.
  func end() {
    if hasEnded { return }
    hasEnded = true
    if let timer { loop.cancel(timer) }
    timer = nil
    source = nil
    file.release()
    ended(self)
    queue.async { [file] in file.remove() }
  }
}
