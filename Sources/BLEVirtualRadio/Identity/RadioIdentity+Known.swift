public import BLECore
import Glibc

extension RadioIdentity {
  /// A device that there is an identity of, whether or not a program is that device at the moment.
  public struct Known: Hashable, Sendable {
    public let air: String
    public let device: String
    public let address: DeviceAddress
  }

  /// All devices of a state folder, those of one air together. Nothing is taken, made or waited for.
  public static func known(stateFolder: String) -> [Known] {
    var known: [Known] = []
    let folder = stateFolder + "/devices"
    for air in names(in: folder) where PlainName.isValid(air) {
      for file in names(in: "\(folder)/\(air)") where file.hasSuffix(".json") {
        let descriptor = Glibc.open("\(folder)/\(air)/\(file)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { continue }
        defer { close(descriptor) }
        guard let address = read(descriptor) else { continue }
        known.append(Known(air: air, device: String(file.dropLast(5)), address: address))
      }
    }
    return known
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
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
