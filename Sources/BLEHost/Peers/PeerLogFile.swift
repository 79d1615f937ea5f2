import BLEAdapter
import BLECore
import BLEFiles
import Glibc

/// The file behind a `FilePeerStore`. One thread at a time.
struct PeerLogFile: ~Copyable {
  private let folder: String
  private let path: String
  private let recordLimit: Int
  /// What was read so far, and of which file: another process may have put a new one in its place.
  private var position = Position()
  private var key: [UInt8] = []

  private struct Position {
    var file: FileIdentity?
    var offset = 0
    /// Lines up to `offset`, and the peers that they speak of: what is more than one line each is outdated.
    var lines = 0
    var peers: Set<PeerIdentifier> = []
  }

  init(folder: String, recordLimit: Int) {
    self.folder = folder
    self.path = folder + "/peers"
    self.recordLimit = recordLimit
  }

  /// Reads the file, or makes it with `newKey` where there is none.
  mutating func open(newKey: [UInt8]) throws(PrivateFileError) -> PeerRecords {
    try PrivateFolder.make(folder)
    PrivateFile.removeLeftovers(of: path)
    if access(path, F_OK) != 0 {
      try PrivateFile.place(Array(PeerRecordLine.header(key: newKey).utf8), at: path, replacing: false)
    }
    let peers = try readNews()
    return PeerRecords(key: key, peers: peers)
  }

  /// The whole lines that were added since the last call.
  mutating func readNews() throws(PrivateFileError) -> [KnownPeer] {
    let file = try PrivateFile(path, .reading)
    if file.identity != position.file || file.size < position.offset {
      position = Position()
    }
    let octets = try file.read(from: position.offset)
    // What follows the last line end is being written just now, or was cut short by a crash.
    guard let end = octets.lastIndex(of: 0x0A) else {
      if position.offset == 0, !octets.isEmpty { throw foreign }
      return []
    }
    let text = String(decoding: octets[...end], as: UTF8.self)
    var lines = text.split(separator: "\n")[...]
    if position.offset == 0 {
      guard let first = lines.popFirst(), let found = PeerRecordLine.key(ofHeader: first) else { throw foreign }
      key = found
    }
    position.file = file.identity
    position.offset += end + 1
    position.lines += lines.count
    let peers = lines.compactMap(PeerRecordLine.peer(of:))
    for peer in peers { position.peers.insert(peer.identifier) }
    return peers
  }

  /// Adds a line for each of `peers`; what others added meanwhile stays to be read as news.
  mutating func append(_ peers: [KnownPeer]) throws(PrivateFileError) {
    // Without a key the file was never understood: it is somebody else's.
    if key.isEmpty { throw foreign }
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    if access(path, F_OK) != 0 {
      try PrivateFile.place(Array(PeerRecordLine.header(key: key).utf8), at: path, replacing: false)
    }
    let file = try PrivateFile(path, .appending)
    var text = ""
    // A crash may have left half a line: what comes now begins a line of its own.
    if file.size > 0, try file.read(from: file.size - 1) != [0x0A] { text = "\n" }
    for peer in peers { text += PeerRecordLine.line(for: peer) }
    try file.write(Array(text.utf8))
    position.lines += peers.count
    for peer in peers { position.peers.insert(peer.identifier) }
    if position.lines > 2 * position.peers.count + 1_000 || position.peers.count > 2 * recordLimit { try compact() }
  }

  /// Writes the file anew with the last line of each peer. Under the lock.
  private mutating func compact() throws(PrivateFileError) {
    position = Position()
    let all = try readNews()
    var seen: Set<PeerIdentifier> = []
    var latest: [KnownPeer] = []
    for peer in all.reversed() where latest.count < recordLimit && seen.insert(peer.identifier).inserted {
      latest.append(peer)
    }
    var text = PeerRecordLine.header(key: key)
    for peer in latest.reversed() { text += PeerRecordLine.line(for: peer) }
    try PrivateFile.place(Array(text.utf8), at: path)
  }

  private var foreign: PrivateFileError {
    PrivateFileError("\(path) is not a peer file of this version; move it away to have a new one")
  }
}
