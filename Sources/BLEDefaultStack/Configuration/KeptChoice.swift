public import BLEAdapter
import BLEFiles
import Glibc

/// The choice of an adapter that a user keeps in the configuration file.
public struct KeptChoice: Sendable {
  private let surroundings: Surroundings

  public init(in surroundings: Surroundings) { self.surroundings = surroundings }

  /// Puts the adapter into the configuration file, or takes the one out that is there; everything else in the file stays. The file
  /// is replaced in one step, and made where it is missing.
  /// - Returns: the path of the file.
  /// - Throws: the reason why nothing was changed.
  @discardableResult
  public func keep(_ name: AdapterName?) throws(NamingMistake) -> String {
    if let name, name.description.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw NamingMistake(description: "a name with control characters cannot be kept")
    }
    do throws(PrivateFileError) {
      let path = Self.target(of: surroundings.configurationPath)
      var file = try read(path)
      if file.adapter == name?.description { return path }
      file.adapter = name?.description
      if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        try PrivateFolder.make(String(path[..<slash]))
      }
      try PrivateFile.place(file.octets, at: path)
      return path
    } catch {
      throw NamingMistake(description: error.description)
    }
  }

  private func read(_ path: String) throws(PrivateFileError) -> ConfigurationFile {
    let octets: [UInt8]
    do throws(PrivateFileError) {
      octets = try surroundings.readFile(path)
    } catch {
      if error.kind == .missing { return ConfigurationFile() }
      throw error
    }
    do throws(ConfigurationFile.Mistake) {
      return try ConfigurationFile(octets, path: path, keepsUnknown: true)
    } catch {
      throw PrivateFileError("\(error): nothing was changed")
    }
  }

  /// Where a link leads to: users keep their configuration elsewhere and link to it, and the link stays.
  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
