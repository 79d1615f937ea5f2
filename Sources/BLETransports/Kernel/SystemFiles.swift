import Glibc

/// Small files and folders by which the kernel describes the machine.
enum SystemFiles {
  /// The names in a folder, sorted; empty if it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The lines at the beginning of a file; empty if it cannot be read.
  static func lines(of path: String) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while octets.count < 1 << 16 {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { break }
      octets.append(contentsOf: buffer[..<count])
    }
    return String(decoding: octets, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
