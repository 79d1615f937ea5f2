import BLEFiles

/// Folders that only this user can access, with the errors of an air.
enum AirFolder {
  /// Makes the folder if it is missing, or checks that only this user can access the existing one.
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
