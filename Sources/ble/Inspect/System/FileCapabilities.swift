import BLECore
import BLEDefaultStack

/// The capabilities that a program's file gives (capabilities(7), "File capabilities"): the extended attribute `security.capability`.
struct FileCapabilities: Equatable, Sendable {
  let permitted: UInt64
  /// Whether they are effective from the start, and not only when the program enables them.
  let isEffective: Bool

  /// Decodes the attribute's value (`struct vfs_cap_data`); `nil` if it is invalid.
  init?(_ octets: [UInt8]) {
    var reader = ByteReader(octets, layer: "capability")
    guard let magic = try? reader.uint32("magic_etc"), let low = try? reader.uint32("permitted"),
      (try? reader.uint32("inheritable")) != nil
    else { return nil }
    isEffective = magic & 1 == 1
    permitted = UInt64((try? reader.uint32("permitted, upper half")) ?? 0) << 32 | UInt64(low)
  }

  func gives(_ capability: ProcessCapabilities.Capability) -> Bool { permitted >> capability.rawValue & 1 == 1 }
}
