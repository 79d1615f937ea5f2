import BLEFiles
import Foundation

/// The file of a line history, readable by its owner only. Programs that run at the same time take turns in appending to it.
///
/// It is optional: if it cannot be read or written, there is no history, and no error.
struct LineHistoryFile {
  let path: String

  /// Of a longer file, which this program has not written, only the end is read.
  private static let mostOctets = 1 << 20

  /// `<name>` in the tool's folder of the state folder (`$XDG_STATE_HOME`, else `~/.local/state`).
  static func standard(_ name: String, environment: [String: String]) -> LineHistoryFile {
    let folders = UserFolders { name in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    return LineHistoryFile(path: folders.state + "/history/" + name)
  }

  /// The stored history, which appends new lines to this file.
  func history() -> LineHistory { LineHistory(load(), keep: { add($0) }) }

  func load() -> [String] {
    guard let file = try? PrivateFile(path, .reading) else { return [] }
    return lines(of: file)
  }

  private func lines(of file: borrowing PrivateFile) -> [String] {
    let start = max(0, file.size - Self.mostOctets)
    guard let octets = try? file.read(from: start) else { return [] }
    var lines = octets.split(separator: 0x0A)
    if start > 0, !lines.isEmpty { lines.removeFirst() }
    return lines.suffix(LineHistory.mostLines).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
  }

  func add(_ line: String) { try? write(line) }

  private func write(_ line: String) throws(PrivateFileError) {
    try PrivateFolder.make((path as NSString).deletingLastPathComponent)
    let lock = try FileLock(path + ".lock")
    defer { lock.unlock() }
    PrivateFile.removeLeftovers(of: path)
    let octets = Array((Self.escaped(line) + "\n").utf8)
    if FileVersion(of: path) == nil { try PrivateFile.place([], at: path, replacing: false) }
    let file = try PrivateFile(path, .appending)
    try file.write(octets)
    if file.size > Self.mostOctets / 2 { try PrivateFile.place(shortened(file), at: path) }
  }

  /// The newest lines, with at most a quarter of the octets that are read.
  private func shortened(_ file: borrowing PrivateFile) -> [UInt8] {
    var kept: [[UInt8]] = []
    var octets = 0
    for line in lines(of: file).suffix(LineHistory.mostLines).reversed() {
      let escaped = Array((Self.escaped(line) + "\n").utf8)
      octets += escaped.count
      if octets > Self.mostOctets / 4 { break }
      kept.append(escaped)
    }
    return kept.reversed().flatMap(\.self)
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
