import BLEAdapter
import BLECore
import BLEFiles
import Dispatch
import Glibc
import Synchronization

/// The peers of one user of one machine, in a file that all of the user's processes share.
///
/// The file is a log: whoever meets a peer adds a line at the end, under a lock that the operating system gives back when its
/// holder dies. A last line that was cut short by a crash is passed over. When most lines are outdated the file is written
/// anew beside itself and put in place by renaming. A file that is something else is left alone, and this process then
/// remembers only for itself.
///
/// Writing happens on a queue of its own, a fifth of a second's peers at a time. Only that queue waits for other processes, and it
/// holds no mutex meanwhile: reading never has to wait for a process that was stopped in the middle of its writing.
///
/// `Sendable`: what is waiting is behind a mutex, and the file is touched only under another.
public final class FilePeerStore: PeerStore {
  private struct Waiting {
    var peers: [PeerIdentifier: KnownPeer] = [:]
    var isWriteScheduled = false
  }

  /// So many peers are kept at the most; those met longest ago go first.
  static let recordLimit = 20_000
  /// Octets of the file.
  static let sizeLimit = 16 << 20
  private static let writeDelay = DispatchTimeInterval.milliseconds(200)

  private let file: Mutex<PeerLogFile>
  private let waiting = Mutex(Waiting())
  private let queue = DispatchQueue(label: "swift-corebluetooth.peers", qos: .utility)
  private let key: [UInt8]
  private let log: Logger

  /// `folder` is made, for this user only, where it is missing. `entropy` makes the secret of a new file: the system's,
  /// except in tests.
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
        log.log(.warning, "\(error): what devices are met is not kept")
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

  public func news() -> [KnownPeer] {
    file.withLock { file in
      do throws(PrivateFileError) {
        return try file.readNews()
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
      log.log(.warning, "\(error): \(peers.count) peers are not kept")
    }
  }

  private func append(_ peers: [KnownPeer]) throws(PrivateFileError) {
    // No lock is put beside a file that is somebody else's.
    let lockPath = file.withLock { $0.isForeign ? nil : $0.lockPath }
    let lock: FileLock? = if let lockPath { try FileLock(lockPath) } else { nil }
    defer { lock?.unlock() }
    try file.withLock { file throws(PrivateFileError) in try file.append(peers) }
  }
}
