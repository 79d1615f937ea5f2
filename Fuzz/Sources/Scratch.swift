import Glibc

/// A folder for the files of one run.
enum Scratch {
  static let folder: String = {
    var template = Array("/tmp/ble-fuzz-XXXXXX\0".utf8CString)
    guard let made = mkdtemp(&template) else { fatalError("no folder for files can be made") }
    atexit {
      for name in ["peers", "peers.lock", "record", "record-wal", "record-shm", "record.lock", "template"] {
        unlink(Scratch.path(name))
      }
      rmdir(Scratch.folder)
    }
    return String(cString: made)
  }()

  static func path(_ name: String) -> String { folder + "/" + name }

  /// Makes a file of the user's own, in place of what was there.
  static func write(_ octets: [UInt8], to name: String) {
    unlink(path(name))
    let descriptor = open(path(name), O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer { close(descriptor) }
    require(Glibc.write(descriptor, octets, octets.count) == octets.count, "\(path(name)) can't be written")
  }
}
