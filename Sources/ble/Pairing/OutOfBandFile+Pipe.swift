import BLEFiles

extension OutOfBandFile {
  /// What comes by a pipe comes once. To be asked behind the reading: who writes to a pipe would take this for the reader.
  static func isPipe(_ path: String) -> Bool { (try? UntrustedFile.beginning(of: path, limit: 1)) == nil }
}
