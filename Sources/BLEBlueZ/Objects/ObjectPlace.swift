import BLECore

/// The parsed path of an object: `/org/bluez/hci0/dev_C0_12_34_56_78_9A/service000a/char000b/desc000d`.
///
/// The daemon names attributes by handle: a service by its first one, a characteristic by that of its declaration.
struct ObjectPlace: Equatable {
  /// The adapter's path.
  let adapter: String
  /// The device's path; `nil`, like the rest, for the adapter itself.
  private(set) var device: String?
  private(set) var service: AttributeHandle?
  private(set) var characteristic: AttributeHandle?
  private(set) var descriptor: AttributeHandle?

  /// `nil` for a path of another object.
  init?(_ path: String) {
    let prefix = BlueZName.root + "/"
    guard path.utf8.count <= 255, path.hasPrefix(prefix) else { return nil }
    let parts = path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
    guard (1...5).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    adapter = prefix + parts[0]
    if parts.count == 1 { return }
    guard parts[1].hasPrefix("dev_") else { return nil }
    device = adapter + "/" + parts[1]
    if parts.count == 2 { return }
    guard let service = Self.handle(parts[2], after: "service") else { return nil }
    self.service = service
    if parts.count == 3 { return }
    guard let characteristic = Self.handle(parts[3], after: "char") else { return nil }
    self.characteristic = characteristic
    if parts.count == 4 { return }
    guard let descriptor = Self.handle(parts[4], after: "desc") else { return nil }
    self.descriptor = descriptor
  }

  private static func handle(_ part: Substring, after word: String) -> AttributeHandle? {
    let digits = part.dropFirst(word.count)
    guard part.hasPrefix(word), digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
      let number = UInt16(digits, radix: 16), number > 0
    else { return nil }
    return AttributeHandle(number)
  }
}
