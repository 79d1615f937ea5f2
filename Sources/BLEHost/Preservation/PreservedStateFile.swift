import BLECore
import BLECrypto
import BLEFiles
import Glibc
import Synchronization

/// The file of one manager's state, locked for as long as this is there: a line that says what it is, with a check of all that
/// follows and of whose it is, and behind it the state.
///
/// `@unchecked Sendable`: `lock` is touched on the store's queue, or before all that runs there; `standing` is behind its mutex.
final class PreservedStateFile: @unchecked Sendable {
  /// The states of thousands of peers have room; what is longer is no state.
  static let sizeLimit = 1 << 20
  private static let title = "swift-corebluetooth state 1 "

  private let path: String
  private let owner: [UInt8]
  private var lock: FileLock?

  private enum Standing { case held, letGo, removed }
  private let standing = Mutex(Standing.held)

  /// `name` says whose state it is. `nil` where another process, or another manager of this one, has it.
  init?(folder: String, name: String) throws(PrivateFileError) {
    owner = Array(name.utf8)
    // A name may hold anything and be of any length: the file is called after its code.
    let hash = AESCMAC(key: SecretKey(mostSignificantFirst: [UInt8](repeating: 0, count: 16)))
    let code = hash.code(owner)
    path = "\(folder)/\(Self.digits(code.high))\(Self.digits(code.low))"
    guard let lock = try FileLock.taken(path + ".lock") else { return nil }
    self.lock = consume lock
    PrivateFile.removeLeftovers(of: path)
  }

  /// The state; `nil` where there is none.
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

  /// Nothing is left in it.
  func clear() throws(PrivateFileError) {
    if lock != nil, unlink(path) != 0, errno != ENOENT { throw .system("remove", path) }
  }

  /// Puts the file out of the way, and tells where to.
  func setAside() -> String {
    let place = path + ".bad"
    return rename(path, place) == 0 ? place : path
  }

  /// Its manager has ended. From any thread.
  func letGo() { standing.withLock { $0 = .letGo } }

  /// Another manager of this process takes it before it was removed. From any thread.
  /// - Returns: false where it was removed.
  func takeBack() -> Bool {
    standing.withLock { standing in
      if standing == .letGo { standing = .held }
      return standing == .held
    }
  }

  /// From any thread.
  var isRemoved: Bool { standing.withLock { $0 == .removed } }

  /// Nothing is left in it; where nobody has it, another process may have it. On the queue, behind what was written.
  func remove() {
    unlink(path)
    standing.withLock { standing in
      guard standing == .letGo else { return }
      unlink(path + ".lock")
      lock = nil
      standing = .removed
    }
  }

  private func header(for state: [UInt8]) -> [UInt8] {
    var check: UInt64 = 0xCBF2_9CE4_8422_2325
    // FNV-1a: a guard against accidents.
    for octet in owner { check = (check ^ UInt64(octet)) &* 0x100_0000_01B3 }
    for octet in state { check = (check ^ UInt64(octet)) &* 0x100_0000_01B3 }
    return Array("\(Self.title)\(Self.digits(check))\n".utf8)
  }

  private var foreign: PrivateFileError {
    PrivateFileError("\(path) is no state of this version, or not whole")
  }

  private static func digits(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
