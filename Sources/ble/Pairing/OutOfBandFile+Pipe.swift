import Glibc

extension OutOfBandFile {
  /// What comes by a pipe comes once.
  static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
}
