import BLEAdapter
import BLECore
import BLEFiles
import Dispatch

/// The states of one program's managers on one adapter, each in a file of its own in the user's state folder.
///
/// A file is written beside itself and put in place by renaming, so that whatever moment a process dies at, a whole state is
/// there. Who has a state holds a lock on it, which the operating system takes back when the process dies. Changes are written
/// together, ten times a second at the most, on a queue of their own. Everything on the loop but where it says otherwise; the loop
/// waits for no other process.
public final class FileStateStore: StateStore {
  private let folder: String
  private let owner: String
  private let peers: any PeerStore
  private let loop: any StackLoop
  private let log: Logger
  private let files: FileQueue
  private var held: [ObjectIdentifier: FileState] = [:]
  /// Files of managers that have ended, by their names, until they are removed.
  private var ending: [String: PreservedStateFile] = [:]

  /// - Parameters:
  ///   - folder: is made, for this user only, where it is missing.
  ///   - program: what makes two processes the same program: the path of the executable.
  ///   - adapter: the adapter's name, since the same program is another device there.
  ///   - peers: where the peers are kept that states name: whoever reads a state has to find them.
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
          .warning, "another manager has the restore identifier \(key.identifier): nothing of this one is preserved")
        return nil
      }
      return makeState(file, name, isNew: false)
    } catch {
      log.log(.warning, "\(error): nothing is preserved for the restore identifier \(key.identifier)")
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

  /// Returns when all that was begun is done. Not on the loop.
  func wait() { files.wait() }
}

/// One manager's state in a file.
private final class FileState: PreservedState, TimerTarget {
  /// Changes that come together are written together.
  private static let gathering = StackDuration.milliseconds(2)
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

  /// - Parameter isNew: a manager of this process had it and has ended: nothing is left in it.
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
    let earliest = max(loop.now + Self.gathering, lastWrite.map { $0 + Self.interval } ?? loop.now)
    timer = loop.schedule(at: earliest, .background, self, tag: 0)
  }

  func timerFired(tag: Int) { write() }

  /// Writes what has changed.
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

  /// The next manager of this key may be made at once: it takes the file as it is then.
  func end() {
    if hasEnded { return }
    hasEnded = true
    if let timer { loop.cancel(timer) }
    timer = nil
    source = nil
    file.letGo()
    ended(self)
    queue.async { [file] in file.remove() }
  }
}
