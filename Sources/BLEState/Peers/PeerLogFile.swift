import BLEAdapter
import BLECore
import BLEFiles
import BLEHost
import Glibc

/// The file of a `FilePeerStore`. One thread at a time.
struct PeerLogFile: ~Copyable {
  private let folder: String
  private let path: String
  private let recordLimit: Int
  /// In bytes. A larger file, as with many long names, is compacted to at most half of this.
  private let sizeLimit: Int
  /// The position up to which the file was read. Another process may have replaced the file.
  private var position = Position()
  private var key: [UInt8] = []

  private struct Position {
    var file: FileIdentity?
    var offset = 0
    /// The number of lines up to `offset`, and their peers: more than one line for each means outdated lines.
    var lines = 0
    var peers: Set<PeerIdentifier> = []
  }

  init(folder: String, recordLimit: Int, sizeLimit: Int) {
    self.folder = folder
    self.sizeLimit = sizeLimit
    self.path = folder + "/peers"
    self.recordLimit = recordLimit
  }

  /// Reads the file, or creates it with `newKey`.
  mutating func open(newKey: [UInt8]) throws(PrivateFileError) -> PeerRecords {
    try PrivateFolder.make(folder)
    PrivateFile.removeLeftovers(of: path)
    if access(path, F_OK) != 0 {
      try PrivateFile.place(Array(PeerRecordLine.header(key: newKey).utf8), at: path, replacing: false)
    }
    let peers = try readAddedLines()
    return PeerRecords(key: key, peers: peers)
  }

  /// Returns the peers of the complete lines added since the last call; of an oversized file, those of the last lines.
  mutating func readAddedLines() throws(PrivateFileError) -> [KnownPeer] {
    let file = try PrivateFile(path, .reading)
    if file.identity != position.file || file.size < position.offset { position = Position() }
    if position.file == nil { try readHeader(of: file) }
    let excess = file.size - position.offset - 2 * sizeLimit
    if excess > 0 { position.offset += excess }
    let octets = try file.read(from: position.offset)
    // Octets after the last line end are being written at this moment, or were truncated by a crash.
    guard let end = octets.lastIndex(of: 0x0A) else { return [] }
    var lines = String(decoding: octets[...end], as: UTF8.self).split(separator: "\n")[...]
    if excess > 0 { lines = lines.dropFirst() }
    position.offset += end + 1
    position.lines += lines.count
    let peers = lines.compactMap(PeerRecordLine.peer(of:))
    for peer in peers { position.peers.insert(peer.identifier) }
    return peers
  }

  private mutating func readHeader(of file: borrowing PrivateFile) throws(PrivateFileError) {
    let beginning = try file.read(from: 0, atMost: 256)
    guard let end = beginning.firstIndex(of: 0x0A),
      let found = PeerRecordLine.key(ofHeader: String(decoding: beginning[..<end], as: UTF8.self)[...])
    else { throw foreign }
    key = found
    position.file = file.identity
    position.offset = end + 1
  }

  /// Whether the file is of another format: no key could be read.
  var isForeign: Bool { key.isEmpty }

  var lockPath: String { path + ".lock" }

  /// Appends a line for each of `peers`. Lines added by other processes are still returned by `readAddedLines`. Under the lock
  /// between processes.
  mutating func append(_ peers: [KnownPeer]) throws(PrivateFileError) {
    if isForeign { throw foreign }
    if access(path, F_OK) != 0 {
      try PrivateFile.place(Array(PeerRecordLine.header(key: key).utf8), at: path, replacing: false)
    }
    let file = try PrivateFile(path, .appending)
    var text = ""
    // After a line truncated by a crash, start a new one.
    if file.size > 0, try file.read(from: file.size - 1) != [0x0A] { text = "\n" }
    for peer in peers { text += PeerRecordLine.line(for: peer) }
    try file.write(Array(text.utf8))
    position.lines += peers.count
    for peer in peers { position.peers.insert(peer.identifier) }
    if position.lines > 2 * position.peers.count + 1_000 || position.peers.count > 2 * recordLimit
      || file.size + text.utf8.count > sizeLimit
    {
      try compact()
    }
  }

  /// Replaces the file by one with the last line of each peer. Under the lock.
  private mutating func compact() throws(PrivateFileError) {
    position = Position()
    let all = try readAddedLines()
    var seen: Set<PeerIdentifier> = []
    var latest: [String] = []
    var size = 0
    for peer in all.reversed() where latest.count < recordLimit && seen.insert(peer.identifier).inserted {
      let line = PeerRecordLine.line(for: peer)
      size += line.utf8.count
      if size > sizeLimit / 2 { break }
      latest.append(line)
    }
    let text = PeerRecordLine.header(key: key) + latest.reversed().joined()
    try PrivateFile.place(Array(text.utf8), at: path)
  }

  private var foreign: PrivateFileError {
    PrivateFileError("\(path) is not a peer file of this version; move it away, and a new one will be created")
  }
}
