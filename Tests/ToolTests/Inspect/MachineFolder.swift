import Foundation

@testable import ble

/// A simulated machine: a folder that takes the place of its root, and is removed with this object.
final class MachineFolder {
  let root: String
  var machine: Machine

  init() throws {
    root = "/tmp/ble-m-\(String(UInt32.random(in: .min ... .max), radix: 16))"
    machine = Machine(
      environment: ["HOME": "/home", "XDG_RUNTIME_DIR": "/run", "LANG": "C.UTF-8", "TERM": "xterm"], root: root)
    // Files made by a test belong to the test's user, where the system's own would belong to the administrator.
    machine.administrator = geteuid()
    for folder in ["/home", "/run", "/dev", "/proc/net", "/sys/class"] { try make(folder) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func make(_ folder: String, mode: Int = 0o700) throws {
    try FileManager.default.createDirectory(
      atPath: root + folder, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
    chmod(root + folder, mode_t(mode))
  }

  func write(_ text: String, to path: String) throws {
    try make((path as NSString).deletingLastPathComponent)
    try Data(text.utf8).write(to: URL(fileURLWithPath: root + path))
  }

  func link(_ path: String, to target: String) throws {
    try make((path as NSString).deletingLastPathComponent)
    try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
  }

  /// A socket without a listener.
  func socket(_ path: String) throws {
    try make((path as NSString).deletingLastPathComponent)
    let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: (root + path).utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result != 0 { throw CocoaError(.fileWriteUnknown) }
  }

  /// Everything below the root, with the time of the last change.
  func snapshot() -> [String] {
    let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return all.sorted().map { path in
      let attributes = (try? FileManager.default.attributesOfItem(atPath: root + "/" + path)) ?? [:]
      return "\(path) \(attributes[.posixPermissions] ?? "?") \(attributes[.modificationDate] ?? "?")"
    }
  }
}
