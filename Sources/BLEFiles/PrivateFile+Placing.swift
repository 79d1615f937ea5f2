import Glibc

extension PrivateFile {
  /// Brings a whole file to `path` in one step, so that at no moment half of it is there. Where not `replacing`, a file that is
  /// there already stays. The folder may be any that can be written to.
  public static func place(_ octets: [UInt8], at path: String, replacing: Bool = true) throws(PrivateFileError) {
    let temporary = "\(path).\(getpid())\(ending)"
    unlink(temporary)
    let file = try PrivateFile(temporary, .making)
    defer { unlink(temporary) }
    try file.write(octets)
    try file.synchronize()
    if replacing {
      if rename(temporary, path) != 0 { throw .system("replace", path) }
      try synchronizeFolder(of: path)
    } else if link(temporary, path) != 0, errno != EEXIST {
      throw .system("make", path)
    }
  }

  /// Removes what processes that died in the middle of `place` have left beside `path`. Under the lock of those who write there.
  public static func removeLeftovers(of path: String) {
    guard let slash = path.lastIndex(of: "/"), let folder = opendir(String(path[...slash])) else { return }
    defer { closedir(folder) }
    let beginning = path[path.index(after: slash)...] + "."
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasPrefix(beginning), name.hasSuffix(ending),
        let process = pid_t(name.dropFirst(beginning.count).dropLast(ending.count)), process > 0
      else { continue }
      if kill(process, 0) != 0, errno == ESRCH { unlink(path[...slash] + name) }
    }
  }

  private static var ending: String { ".new" }

  /// A new name is on the disk only when the folder is.
  private static func synchronizeFolder(of path: String) throws(PrivateFileError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw .system("open", folder) }
    defer { close(descriptor) }
    // Some file systems cannot, and need not.
    if fsync(descriptor) != 0, errno != EINVAL { throw .system("write", folder) }
  }
}

/// Tells one file from another that has its name.
public struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Tells one content from another of the same name: a file's number may be given to the next file.
public struct FileVersion: Equatable, Sendable {
  public let file: FileIdentity
  public let size: Int
  let modified: Int64

  init(_ status: stat) {
    file = FileIdentity(status)
    size = Int(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  /// What is at `path` at this moment, without opening it; `nil` where nothing is.
  public init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
