import Glibc

/// Finds the program that uses an adapter by the user channel. The kernel does not report it, but it lists the inodes of its
/// Bluetooth sockets, and the open files of processes of the same user can be read.
public enum UserChannelHolder {
  /// `" (probably btmon, process 4711)"`; empty if no program is found.
  public static var text: String {
    let sockets = inodes(SystemFiles.lines(of: "/proc/net/hci"))
    var found: [String] = []
    for process in SystemFiles.names(in: "/proc") {
      guard let number = Int32(process), number != getpid(), holdsOne(of: sockets, process) else { continue }
      let name = SystemFiles.lines(of: "/proc/\(process)/comm").first ?? "?"
      // These have a socket of the management interface, not the channel.
      if name != "bluetoothd" && name != "adapter-keeper" { found.append("\(name), process \(process)") }
    }
    return found.isEmpty ? "" : " (probably \(found.joined(separator: " or ")))"
  }

  /// The second last column of each line; the first line has the headings.
  static func inodes(_ lines: [String]) -> Set<String> {
    Set(
      lines.dropFirst().compactMap { line in
        let columns = line.split(separator: " ")
        return columns.count >= 2 ? String(columns[columns.count - 2]) : nil
      })
  }

  private static func holdsOne(of sockets: Set<String>, _ process: String) -> Bool {
    for file in SystemFiles.names(in: "/proc/\(process)/fd") {
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/\(process)/fd/\(file)", &target, target.count)
      guard count > 0 else { continue }
      let text = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("socket:["), sockets.contains(String(text.dropFirst(8).dropLast())) { return true }
    }
    return false
  }
}
