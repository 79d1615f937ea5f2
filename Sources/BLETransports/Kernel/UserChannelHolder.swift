import Glibc

/// Looks for the program that has an adapter by the user channel: the kernel does not say which, but which sockets of its Bluetooth
/// there are, and to whom files belong can be read for programs of the same user.
public enum UserChannelHolder {
  /// `" (probably btmon, process 4711)"`; empty where nothing can be seen.
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

  /// The last column but one of each line; the first line has the headings.
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
