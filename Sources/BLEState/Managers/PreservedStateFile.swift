import BLECore
import BLECrypto
import BLEFiles
import Glibc
import Synchronization

/// The file of one manager's state, locked during the lifetime of this object: a header line with a check over the owner and the
/// state, then the state.
///
/// `@unchecked Sendable`: `lock` is used on the store's queue, or before anything runs there; `ownership` is behind its mutex.
final class PreservedStateFile: @unchecked Sendable {
  /// In bytes: room for the states of thousands of peers. A larger file is not a state.
  static let sizeLimit = 1 << 20
  private static let title = "swift-corebluetooth state 1 "

  private let path: String
  private let owner: [UInt8]
  private var lock: FileLock?

  private enum Ownership { case held, released, removed }
  private let ownership = Mutex(Ownership.held)

  /// - Parameter name: identifies the owner of the state.
  /// - Returns: `nil` if another process, or another manager of this one, holds the lock.
  init?(folder: String, name: String) throws(PrivateFileError) {
    owner = Array(name.utf8)
    // The name may contain any characters and be of any length, so the file name is a hash of it.
    let hash = AESCMAC(key: SecretKey(mostSignificantFirst: [UInt8](repeating: 0, count: 16)))
    let code = hash.code(owner)
    path = "\(folder)/\(code.high.hexadecimal(16))\(code.low.hexadecimal(16))"
    guard let lock = try FileLock.taken(path + ".lock") else { return nil }
    self.lock = consume lock
    PrivateFile.removeLeftovers(of: path)
  }

  /// Returns the state; `nil` if there is none.
  func read() throws(PrivateFileError) -> [UInt8]? {
    if access(path, F_OK) != 0, errno == ENOENT { return nil }
    let file = try PrivateFile(path, .reading)
    let octets = try file.read(limit: Self.sizeLimit)
    guard let end = octets.firstIndex(of: 0x0A) else { throw foreign }
    let state = Array(octets[(end + 1)...])
    guard Array(octets[...end]) == header(for: state) else { throw foreign }
    return state
  }

  func write(_ state: [UInt8]) throws(PrivateFileError) {
    let octets = header(for: state) + state
    guard octets.count <= Self.sizeLimit else {
      try clear()
      throw PrivateFileError("a state of \(state.count) octets is too large")
    }
    if lock == nil { return }
    try PrivateFile.place(octets, at: path)
  }

  /// Removes the state.
  func clear() throws(PrivateFileError) {
    if lock != nil, unlink(path) != 0, errno != ENOENT { throw .system("remove", path) }
  }

  /// Renames the file, and returns its path after that.
  func setAside() -> String {
    let place = path + ".bad"
    return rename(path, place) == 0 ? place : path
  }

  /// Releases the file when its manager has ended. From any thread.
  func release() { ownership.withLock { $0 = .released } }

  /// Takes the file for another manager of this process, before it is removed. From any thread.
  /// - Returns: false if it is already removed.
  func takeBack() -> Bool {
    ownership.withLock { ownership in
      if ownership == .released { ownership = .held }
      return ownership == .held
    }
  }

  /// From any thread.
  var isRemoved: Bool { ownership.withLock { $0 == .removed } }

  /// Removes the state; if no manager has taken the file back, releases the lock, so that another process can take it. On the queue,
  /// after pending writes.
  func remove() {
    unlink(path)
    ownership.withLock { ownership in
      guard ownership == .released else { return }
      unlink(path + ".lock")
      lock = nil
      ownership = .removed
    }
  }

  private func header(for state: [UInt8]) -> [UInt8] {
    var check: UInt64 = 0xCBF2_9CE4_8422_2325
    // FNV-1a: detects accidental damage.
    for octet in owner { check = (check ^ UInt64(octet)) &* 0x100_0000_01B3 }
    for octet in state { check = (check ^ UInt64(octet)) &* 0x100_0000_01B3 }
    return Array("\(Self.title)\(check.hexadecimal(16))\n".utf8)
  }

  private var foreign: PrivateFileError {
    PrivateFileError("\(path) is not a complete state of this version")
  }
}
