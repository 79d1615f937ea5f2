public import BLECore
import BLEFiles
import Glibc

extension RadioIdentity {
  /// A device with an identity, in use by a program or not.
  public struct Known: Hashable, Sendable {
    public let air: String
    public let device: String
    public let address: DeviceAddress
  }

  /// All devices of a state folder, grouped by air. Does not acquire, make or wait for anything.
  public static func known(stateFolder: String) -> [Known] {
    var known: [Known] = []
    let folder = stateFolder + "/devices"
    for air in names(in: folder) where PlainName.isValid(air) {
      for file in names(in: "\(folder)/\(air)") where file.hasSuffix(".json") {
        guard let address = try? read(PrivateFile("\(folder)/\(air)/\(file)", .reading)) else { continue }
        known.append(Known(air: air, device: String(file.dropLast(5)), address: address))
      }
    }
    return known
  }

  private static func names(in folder: String) -> [String] {
    guard (try? PrivateFolder.check(folder)) != nil, let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let length = MemoryLayout.size(ofValue: entry.pointee.d_name)
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: length) { String(cString: $0) }
        })
    }
    return names.sorted()
  }
}
