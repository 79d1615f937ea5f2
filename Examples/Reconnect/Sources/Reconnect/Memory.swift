import Foundation

/// What outlives the program: which device was last used, and whether the user left it on purpose.
struct RememberedDevice: Codable {
  /// What Core Bluetooth calls the device on this machine: the same in each run.
  var identifier: UUID
  var name: String
  /// The user ended the last connection: the program does not reconnect by itself.
  var wasLeft = false
}

/// A file with the remembered device in it.
final class Memory {
  private let file: URL

  init(path: String?) {
    let home = FileManager.default.homeDirectoryForCurrentUser
    file = path.map { URL(fileURLWithPath: $0) } ?? home.appendingPathComponent(".reconnect.json")
  }

  /// `nil` where nothing is remembered, or the file makes no sense any more.
  var device: RememberedDevice? {
    get {
      guard let data = try? Data(contentsOf: file) else { return nil }
      return try? JSONDecoder().decode(RememberedDevice.self, from: data)
    }
    set {
      do {
        if let newValue {
          try JSONEncoder().encode(newValue).write(to: file, options: .atomic)
        } else if FileManager.default.fileExists(atPath: file.path) {
          try FileManager.default.removeItem(at: file)
        }
      } catch {
        print("cannot remember: \(error.localizedDescription)")
      }
    }
  }
}
