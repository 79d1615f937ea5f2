public import BLEAdapter
import BLEFiles
import Glibc

/// The user's choice of an adapter in the configuration file.
public struct KeptChoice: Sendable {
  private let surroundings: Surroundings

  public init(in surroundings: Surroundings) { self.surroundings = surroundings }

  /// Sets or removes the adapter in the configuration file; everything else in the file remains. The file is replaced in one
  /// step, and made if it is missing.
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

  /// The target of a link: users keep their configuration elsewhere and link to it, and the link remains.
  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
