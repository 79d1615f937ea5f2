import BLEFiles

/// Folders of this user alone, with errors in the words of an air.
enum AirFolder {
  /// Makes the folder where it is missing, or makes sure that the one that is there is this user's alone.
  static func make(_ path: String) throws(SharedAirError) -> String {
    do throws(PrivateFileError) {
      try PrivateFolder.make(path)
      return path
    } catch {
      throw SharedAirError(error)
    }
  }
}

extension SharedAirError {
  init(_ error: PrivateFileError) { self.init(.folder, "\(error).") }
}
