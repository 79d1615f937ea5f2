import BLEFiles
import Glibc

/// The kernel's descriptions of the machine in small files. Tests use their own.
public struct SystemView: Sendable {
  /// The names in a folder, sorted; empty if it cannot be read.
  public var names: @Sendable (_ folder: String) -> [String]
  /// The beginning of a file; `nil` if it cannot be read.
  public var text: @Sendable (_ path: String) -> String?

  public init(
    names: @escaping @Sendable (_ folder: String) -> [String], text: @escaping @Sendable (_ path: String) -> String?
  ) {
    self.names = names
    self.text = text
  }

  /// The maximum number of octets that are read of a file.
  public static let textLimit = 65_536

  public static let ofThisMachine = SystemView(
    names: { folder in
      guard let handle = opendir(folder) else { return [] }
      defer { closedir(handle) }
      var names: [String] = []
      while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if !name.hasPrefix(".") { names.append(name) }
      }
      return names.sorted()
    },
    text: { path in
      (try? UntrustedFile.beginning(of: path, limit: textLimit)).map { String(decoding: $0, as: UTF8.self) }
    })

  /// The kernel's adapters, in use or not: `hci0`.
  public var adapters: [String] {
    // The folder also has links: hci0:64.
    names("/sys/class/bluetooth").filter { $0.hasPrefix("hci") && UInt16($0.dropFirst(3)) != nil }
  }

  /// The first line of a file without its end; `nil` if it cannot be read.
  public func line(of path: String) -> String? {
    text(path).map { $0.prefix { !$0.isNewline } }.map(String.init)
  }
}
