public import BLECore
import BLECrypto
import BLEFiles
public import BLEHost
import Glibc

/// The bonds of all adapters of one user, without an adapter: for tools that show and remove bonds, also while other processes use
/// them. Those processes notice the removal (`FileBondStore`).
public struct BondFolder: Sendable {
  private let path: String

  /// - Parameter path: the folder of a `FileBondStore`. It is not created if it is missing.
  public init(_ path: String) { self.path = path }

  /// Returns the identities of the adapters with bond files, in the order of their addresses.
  public func adapters() throws(BondStoreError) -> [DeviceAddress] {
    guard try isThere() else { return [] }
    guard let folder = opendir(path) else { throw BondStoreError(PrivateFileError.system("open", path).description) }
    defer { closedir(folder) }
    var adapters: [DeviceAddress] = []
    while let entry = readdir(folder) {
      let length = MemoryLayout.size(ofValue: entry.pointee.d_name)
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: length) { String(cString: $0) }
      }
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      if parts.count == 2, let address = StoredText.address(parts[0], parts[1]) { adapters.append(address) }
    }
    return adapters.sorted { ($0.value, $0.kind.rawValue) < ($1.value, $1.kind.rawValue) }
  }

  /// Returns whether the folder exists; throws if it is not private to this user.
  private func isThere() throws(BondStoreError) -> Bool {
    do throws(PrivateFileError) {
      try PrivateFolder.check(path)
      return true
    } catch {
      if error.kind == .missing { return false }
      throw BondStoreError(error.description)
    }
  }

  /// Returns the current bonds of one adapter. The file is not changed, even if it is invalid.
  public func records(of adapter: DeviceAddress) throws(BondStoreError) -> BondRecords {
    let file = BondFile(adapter: adapter, folder: path)
    do throws(PrivateFileError) {
      try PrivateFolder.check(path)
      if let records = try file.current() { return records }
    } catch {
      throw BondStoreError(error.description)
    }
    throw BondStoreError("\(file.path) is not a complete bond file of this adapter")
  }

  /// Removes bonds. When it returns, the removal is on the disk.
  public func remove(_ identities: [DeviceAddress], of adapter: DeviceAddress) throws(BondStoreError) {
    // Throws for an invalid file, which must not be replaced by an empty one here.
    let key = try records(of: adapter).identityResolvingKey
    var file = BondFile(adapter: adapter, folder: path)
    do throws(PrivateFileError) {
      try file.change(newKey: key, { _ in }) { $0.remove(identities) }
    } catch {
      throw BondStoreError(error.description)
    }
  }
}
