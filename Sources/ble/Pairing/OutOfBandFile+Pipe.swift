import BLEFiles

extension OutOfBandFile {
  /// Whether the path is a pipe, whose data can be read only once. Must be called after reading, because a writer would take this for it.
  static func isPipe(_ path: String) -> Bool { (try? UntrustedFile.beginning(of: path, limit: 1)) == nil }
}
