import CoreBluetooth

/// Keeps devices in a file, which is replaced as a whole: a crash leaves the old one or the new one. The file is readable by this user
/// only; another user's, a link or a pipe in its place is refused.
public struct FileMemory: PeripheralMemory {
  /// The file; neither it nor its folder need be there yet.
  public let file: URL

  /// Files that are longer are not what this type has written.
  private static let longest = 1 << 20

  /// A memory in that file.
  public init(file: URL) { self.file = file }

  /// The devices, the last one remembered first; none where there is no file.
  /// - Throws: `FileMemoryError` where the file is no list of devices, and what the system says where it cannot be read.
  public func devices() throws -> [RememberedDevice] {
    guard let data = try contents() else { return [] }
    guard data.count <= Self.longest else { throw FileMemoryError(file: file, reason: "it has \(data.count) octets") }
    do {
      return try JSONDecoder().decode([RememberedDevice].self, from: data)
    } catch {
      throw FileMemoryError(file: file, reason: Self.describe(error))
    }
  }

  /// Puts the device first; a file that cannot be read stays as it is.
  public func remember(_ device: RememberedDevice) throws { try change { $0.putFirst(device) } }
  /// Takes the device out; one that is not there is no error.
  public func forget(_ identifier: UUID) throws { try change { $0.removeAll { $0.identifier == identifier } } }

  private func contents() throws -> Data? {
    let descriptor: Int32
    do throws(OwnFileError) {
      descriptor = try OwnFile.open(file.path, O_RDONLY)
    } catch {
      if error.code == ENOENT { return nil }
      throw FileMemoryError(file: file, reason: error.reason)
    }
    return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).read(upToCount: Self.longest + 1) ?? Data()
  }

  private func change(_ body: (inout [RememberedDevice]) -> Void) throws {
    let before = try devices()
    var devices = before
    body(&devices)
    guard devices != before else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try OwnFile.replace(file.path, by: encoder.encode(devices))
  }

  private static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
      DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
      return (path.isEmpty ? "" : "at \(path): ") + context.debugDescription
    default: return error.localizedDescription
    }
  }
}

/// A file that devices should be remembered in holds something else.
public struct FileMemoryError: Error, LocalizedError, Sendable {
  /// The file; it was not changed.
  public let file: URL
  /// What is wrong with it.
  public let reason: String

  /// What happened and what to do about it.
  public var errorDescription: String? {
    "\(file.path) is no list of remembered devices (\(reason)): move it away, and a new one is begun"
  }
}
