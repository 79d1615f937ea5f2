import BLEFiles
import Foundation

/// Which process listens on a TCP port, as far as this user may see it.
enum PortHolder {
  /// As in `ble, process 1234`; `nil` if it cannot be seen.
  static func description(of port: UInt16) -> String? {
    let sockets = Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeners(on: port, in: contents(of: $0)) })
    guard !sockets.isEmpty, let processes = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else {
      return nil
    }
    for process in processes.compactMap({ UInt32($0) }) {
      let folder = "/proc/\(process)/fd"
      // Those of other users cannot be read.
      guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: folder) else { continue }
      let holds = descriptors.contains { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        return target.map(sockets.contains) ?? false
      }
      if holds {
        let name = contents(of: "/proc/\(process)/comm").split(separator: "\n").first.map(String.init) ?? "a program"
        return "\(name.inert), process \(process)"
      }
    }
    return nil
  }

  /// The sockets that listen, as links in a process's folder name them.
  static func listeners(on port: UInt16, in table: String) -> [String] {
    table.split(separator: "\n").dropFirst().compactMap { line in
      let words = line.split(separator: " ")
      // The local address, the state (0A: it listens), and the inode; see proc(5).
      guard words.count > 9, words[3] == "0A", let digits = words[1].split(separator: ":").last,
        UInt16(digits, radix: 16) == port
      else {
        return nil
      }
      return "socket:[\(words[9])]"
    }
  }

  /// Not by Foundation, which takes what the kernel gives at a time, some 27 sockets, for all of such a file.
  private static func contents(of path: String) -> String {
    (try? UntrustedFile.beginning(of: path, limit: 16 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
