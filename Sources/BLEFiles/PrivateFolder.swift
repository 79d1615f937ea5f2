import Glibc

/// Folders that belong to this user alone (mode 0700).
///
/// The folder has to belong to this user and must not be a symbolic link; a mode that gives others access is changed. The parent
/// folder has to belong to this user or to the system: another user could replace its contents at any time.
public enum PrivateFolder {
  /// Makes `path` and its missing parents, for this user only, and checks it.
  /// - Throws: the reason why an existing folder cannot be used.
  public static func make(_ path: String) throws(PrivateFileError) {
    var current = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      current += part + "/"
      if mkdir(current, 0o700) != 0, errno != EEXIST { throw .system("make the folder", current) }
    }
    try check(path)
  }

  /// Checks that `path` is a folder of this user alone; other users' access is removed.
  /// - Throws: `missing` if there is none, and otherwise the reason why it cannot be used.
  public static func check(_ path: String) throws(PrivateFileError) {
    // With a slash at the end a link would be followed.
    var path = path[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    let folder = String(path)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0 { throw unusable(folder) }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .system("examine", folder) }
    guard status.st_uid == geteuid() else {
      throw .notPrivate(folder, "belongs to another user (\(status.st_uid)) and is not used")
    }
    try checkSurroundings(of: folder)
    guard status.st_mode & 0o077 != 0 else { return }
    // For root, /tmp is a folder of this user too: a folder that is shared on purpose is not changed.
    if status.st_mode & S_ISVTX != 0 {
      throw .notPrivate(folder, "is shared by all users, not private")
    }
    // Some file systems accept a mode and do not store it.
    if fchmod(descriptor, 0o700) != 0 || fstat(descriptor, &status) != 0 || status.st_mode & 0o077 != 0 {
      throw .notPrivate(folder, "can be entered by other users, and its mode cannot be changed to 0700")
    }
  }

  private static func unusable(_ path: String) -> PrivateFileError {
    let error = PrivateFileError.system("open", path)
    var status = stat()
    guard lstat(path, &status) == 0 else { return error }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: return .notPrivate(path, "is a symbolic link, which is not followed")
    case S_IFDIR where status.st_uid != geteuid():
      return .notPrivate(path, "belongs to another user (\(status.st_uid)) and is not used")
    case S_IFDIR: return error
    default: return .notPrivate(path, "is not a folder")
    }
  }

  private static func checkSurroundings(of path: String) throws(PrivateFileError) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let around = slash == path.startIndex ? "/" : String(path[..<slash])
    var status = stat()
    if stat(around, &status) != 0 { throw .system("examine", around) }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .notPrivate(around, "belongs to another user (\(status.st_uid)), and nothing in it is used")
    }
  }
}
