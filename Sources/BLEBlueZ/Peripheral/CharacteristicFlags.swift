import BLEAdapter

extension LocalCharacteristic {
  /// The daemon's flags for the permitted operations, and for the security they require. A property bit without the permission is kept: the
  /// request is refused here. A permission without the property bit can't be expressed.
  var flags: [String] {
    var flags: [String] = []
    func add(_ bit: UInt8, _ plain: String, _ demand: SecurityDemand, _ verb: String? = nil) {
      guard properties & bit != 0 else { return }
      flags.append(plain)
      guard let verb else { return }
      switch demand {
      case .none: break
      case .encryption: flags.append("encrypt-" + verb)
      case .authentication: flags.append("encrypt-authenticated-" + verb)
      }
    }
    let write = permissions.write ?? .none
    add(0x01, "broadcast", .none)
    add(0x02, "read", permissions.read ?? .none, "read")
    // The daemon applies the requirement for writing to both kinds.
    add(0x04, "write-without-response", write, properties & 0x08 == 0 ? "write" : nil)
    add(0x08, "write", write, "write")
    add(0x10, "notify", subscription, "notify")
    add(0x20, "indicate", subscription, "indicate")
    add(0x40, "authenticated-signed-writes", .none)
    add(0x80, "extended-properties", .none)
    return flags
  }
}
