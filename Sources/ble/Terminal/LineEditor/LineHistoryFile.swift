import Foundation

/// The file of a history: a line for each, which only its owner can read. Programs that run at the same time add to it by turns.
///
/// Nothing depends on it: where it cannot be read or written there is no history, and no error.
struct LineHistoryFile {
  let path: String

  /// A file longer than this was not written here: only its end is read.
  private static let mostOctets = 1 << 20

  /// `<name>` in the tool's folder of the state folder (`$XDG_STATE_HOME`, else `~/.local/state`).
  static func standard(_ name: String, environment: [String: String]) -> LineHistoryFile? {
    var base = environment["XDG_STATE_HOME"] ?? ""
    if !base.hasPrefix("/") {
      guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
      base = home + "/.local/state"
    }
    return LineHistoryFile(path: base + "/swift-corebluetooth/history/" + name)
  }

  /// The history as it is, which keeps in this file what is added to it.
  func history() -> LineHistory { LineHistory(load(), keep: { add($0) }) }

  func load() -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    guard let length = Self.lengthOfOwnFile(descriptor) else { return [] }
    let start = max(0, length - Self.mostOctets)
    guard lseek(descriptor, off_t(start), SEEK_SET) >= 0 else { return [] }
    var lines = Self.read(descriptor).split(separator: 0x0A)
    if start > 0, !lines.isEmpty { lines.removeFirst() }
    return lines.suffix(LineHistory.mostLines).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
  }

  func add(_ line: String) {
    let folder = (path as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0, let length = Self.lengthOfOwnFile(descriptor) else { return }
    fchmod(descriptor, 0o600)
    Self.write(Array((Self.escaped(line) + "\n").utf8), to: descriptor)
    if length > Self.mostOctets / 2 { shorten(descriptor) }
  }

  /// Leaves the lines that are still remembered, and of those not more than half of what is read.
  private func shorten(_ descriptor: Int32) {
    var kept: [[UInt8]] = []
    var octets = 0
    for line in load().suffix(LineHistory.mostLines).reversed() {
      let escaped = Array((Self.escaped(line) + "\n").utf8)
      octets += escaped.count
      if octets > Self.mostOctets / 4 { break }
      kept.append(escaped)
    }
    guard ftruncate(descriptor, 0) == 0 else { return }
    Self.write(kept.reversed().flatMap(\.self), to: descriptor)
  }

  /// `nil` where it is something else than a file, or another's.
  private static func lengthOfOwnFile(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      return nil
    }
    return Int(status.st_size)
  }

  private static func read(_ descriptor: Int32) -> [UInt8] {
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while octets.count < 2 * mostOctets {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count <= 0 { break }
      octets += buffer.prefix(count)
    }
    return octets
  }

  private static func write(_ octets: [UInt8], to descriptor: Int32) {
    var rest = octets[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func escaped(_ line: String) -> String {
    line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  private static func unescaped(_ line: String) -> String {
    var text = ""
    var isEscape = false
    for character in line {
      if isEscape {
        text.append(character == "n" ? "\n" : character)
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        text.append(character)
      }
    }
    return text
  }
}
