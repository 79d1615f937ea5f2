import CoreBluetooth

/// Remembers devices in a file. The file is replaced atomically: after a crash it has the old or the new content. Only this user can
/// read it; a file of another user, a link or a pipe at its path is rejected.
public struct FileMemory: PeripheralMemory {
  /// The file; it and its folder are created when needed.
  public let file: URL

  /// The longest file that is read, in octets; this type never writes a longer one.
  private static let longest = 1 << 20

  /// Creates a memory in this file.
  public init(file: URL) { self.file = file }

  /// Returns the devices, the most recently remembered first; none if the file does not exist.
  /// - Throws: `FileMemoryError` if the file is not a list of devices or cannot be opened, and the system's error if reading fails.
  public func devices() throws -> [RememberedDevice] {
    guard let data = try contents() else { return [] }
    guard data.count <= Self.longest else { throw FileMemoryError(file: file, reason: "it has \(data.count) octets") }
    do {
      return try JSONDecoder().decode([RememberedDevice].self, from: data)
    } catch {
      throw FileMemoryError(file: file, reason: Self.describe(error))
    }
  }

  /// Inserts the device at the front. A file that cannot be read is left unchanged.
  public func remember(_ device: RememberedDevice) throws { try change { $0.putFirst(device) } }
  /// Removes the device; does nothing if it is not in the list.
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

/// The file of a `FileMemory` cannot be used.
public struct FileMemoryError: Error, LocalizedError, Sendable {
  /// The file; it was not changed.
  public let file: URL
  /// Why it cannot be used.
  public let reason: String

  /// What happened and what to do about it.
  public var errorDescription: String? {
    "\(file.path) is not a list of remembered devices (\(reason)): move it away, and a new one is created"
  }
}
