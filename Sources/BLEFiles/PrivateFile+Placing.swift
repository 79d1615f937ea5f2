import Glibc

extension PrivateFile {
  /// Writes a whole file to `path` in one step: no process sees a part of it. Unless `replacing`, an existing file remains. Any
  /// folder with write permission will do.
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

  /// Removes what processes that ended during `place` have left beside `path`. Under the lock of those who write there.
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

  /// A new name is on the disk only when the folder was written.
  private static func synchronizeFolder(of path: String) throws(PrivateFileError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw .system("open", folder) }
    defer { close(descriptor) }
    // Some file systems do not support it, and do not need it.
    if fsync(descriptor) != 0, errno != EINVAL { throw .system("write", folder) }
  }
}

/// Distinguishes files with the same name.
public struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Distinguishes contents under the same name: the inode of a removed file may be reused.
public struct FileVersion: Equatable, Sendable {
  public let file: FileIdentity
  public let size: Int
  let modified: Int64

  init(_ status: stat) {
    file = FileIdentity(status)
    size = Int(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  /// The version of the file at `path`, without opening it; `nil` if there is none.
  public init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
