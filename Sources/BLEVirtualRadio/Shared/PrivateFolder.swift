import Glibc

/// Folders that belong to this user alone (mode 0700): made where they are missing, refused where they are anybody else's or
/// a symbolic link.
enum PrivateFolder {
  /// Where the sockets of running processes are: below `XDG_RUNTIME_DIR`, or else a folder of this user's below `/tmp`.
  static func runtime() throws(SharedAirError) -> String {
    if let base = environment("XDG_RUNTIME_DIR"), base.hasPrefix("/"), isOwnFolder(base) {
      return try make(base + "/swift-corebluetooth")
    }
    return try make("/tmp/swift-corebluetooth-\(geteuid())")
  }

  /// Where what outlives a process is: below `XDG_STATE_HOME`, or else `~/.local/state`.
  static func state() throws(SharedAirError) -> String {
    if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") {
      return try makeAll(base, "/swift-corebluetooth")
    }
    guard let home = environment("HOME") ?? homeOfUser(), home.hasPrefix("/") else {
      throw SharedAirError(.folder, "Neither XDG_STATE_HOME nor HOME says where to keep state; set one of them.")
    }
    return try makeAll(home, "/.local/state/swift-corebluetooth")
  }

  /// Makes each part of `path` below `base`, of which only the last must be ours alone.
  private static func makeAll(_ base: String, _ path: String) throws(SharedAirError) -> String {
    var folder = base
    mkdir(folder, 0o700)
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      mkdir(folder, 0o700)
    }
    return try make(base + path)
  }

  /// Makes the folder, or makes sure that the one that is there is ours alone.
  static func make(_ path: String) throws(SharedAirError) -> String {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw SharedAirError(.folder, "Cannot make the folder \(path): \(reason()).")
    }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SharedAirError(.folder, "\(path) cannot be used as a folder: \(reason()).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
      throw SharedAirError(.folder, "The folder \(path) belongs to somebody else; remove it or choose another place.")
    }
    if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o700) != 0 {
      throw SharedAirError(.folder, "Others can get into the folder \(path); its mode must be 0700.")
    }
    return path
  }

  static func reason() -> String { String(cString: strerror(errno)) }

  private static func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && access(path, W_OK | X_OK) == 0
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  private static func homeOfUser() -> String? {
    guard let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir else { return nil }
    return String(cString: home)
  }
}
