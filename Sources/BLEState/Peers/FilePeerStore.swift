import BLEAdapter
import BLECore
import BLEFiles
import BLEHost
import Dispatch
import Glibc
import Synchronization

/// The peers of one user of one machine, in a file shared by all of the user's processes.
///
/// The file is a log: a process that meets a peer appends a line, under a lock that the operating system releases when the process
/// dies. A last line truncated by a crash is skipped. When most lines are outdated, a compacted file is written beside it and
/// renamed into place. A file of another format is left alone; this process then keeps peers in memory only.
///
/// Peers are written on a queue of the store, batched over a fifth of a second. Only that queue waits for other processes, and it
/// holds no mutex while it waits: reading never waits for a process that was stopped while writing.
///
/// `Sendable`: pending peers are behind a mutex, and the file is used only under another.
public final class FilePeerStore: PeerStore {
  private struct Waiting {
    var peers: [PeerIdentifier: KnownPeer] = [:]
    var isWriteScheduled = false
  }

  /// The maximum number of peers; those met least recently are removed first.
  static let recordLimit = 20_000
  /// The maximum size of the file, in bytes.
  static let sizeLimit = 16 << 20
  private static let writeDelay = DispatchTimeInterval.milliseconds(200)

  private let file: Mutex<PeerLogFile>
  private let waiting = Mutex(Waiting())
  private let queue = DispatchQueue(label: "swift-corebluetooth.peers", qos: .utility)
  private let key: [UInt8]
  private let log: Logger

  /// - Parameters:
  ///   - folder: created if it is missing, private to this user.
  ///   - entropy: generates the secret of a new file; the system's, except in tests.
  public convenience init(folder: String, entropy: any EntropySource, log: Logger) {
    self.init(folder: folder, entropy: entropy, log: log, sizeLimit: Self.sizeLimit)
  }

  init(
    folder: String, entropy: any EntropySource, log: Logger, recordLimit: Int = FilePeerStore.recordLimit,
    sizeLimit: Int
  ) {
    key = entropy.octets(PeerRecords.keyLength)
    self.log = log
    file = Mutex(PeerLogFile(folder: folder, recordLimit: recordLimit, sizeLimit: sizeLimit))
  }

  public func open() -> PeerRecords {
    file.withLock { file in
      do throws(PrivateFileError) {
        return try file.open(newKey: key)
      } catch {
        log.log(.warning, "\(error): devices will not be remembered after this process")
        return PeerRecords(key: key, peers: [])
      }
    }
  }

  public func remember(_ peer: KnownPeer) {
    let schedules = waiting.withLock { waiting in
      waiting.peers[peer.identifier] = peer
      defer { waiting.isWriteScheduled = true }
      return !waiting.isWriteScheduled
    }
    if schedules { queue.asyncAfter(deadline: .now() + Self.writeDelay) { [self] in write() } }
  }

  public func externalChanges() -> [KnownPeer] {
    file.withLock { file in
      do throws(PrivateFileError) {
        return try file.readAddedLines()
      } catch {
        log.log(.warning, "\(error)")
        return []
      }
    }
  }

  public func flush() { queue.sync { write() } }

  /// On the queue.
  private func write() {
    let peers = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return Array(waiting.peers.values)
    }
    if peers.isEmpty { return }
    do throws(PrivateFileError) {
      try append(peers)
    } catch {
      log.log(.warning, "\(error): \(peers.count) peers could not be stored")
    }
  }

  private func append(_ peers: [KnownPeer]) throws(PrivateFileError) {
    // No lock file is created beside a file of another format.
    let lockPath = file.withLock { $0.isForeign ? nil : $0.lockPath }
    let lock: FileLock? = if let lockPath { try FileLock(lockPath) } else { nil }
    defer { lock?.unlock() }
    try file.withLock { file throws(PrivateFileError) in try file.append(peers) }
  }
}
