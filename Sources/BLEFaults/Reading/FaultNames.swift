import BLEWire

// Events and packets by their names in JSON.

extension FaultEvent {
  /// The operations, by their names in JSON.
  static let operations: [(key: String, make: @Sendable (FaultTarget) -> FaultEvent)] = [
    ("read", { .read($0) }), ("write", { .write($0) }), ("write_without_response", { .writeWithoutResponse($0) }),
    ("notification", { .notification($0) }), ("indication", { .indication($0) }),
    ("subscription", { .subscription($0) }), ("unsubscription", { .unsubscription($0) }),
  ]

  /// The names of all events in JSON.
  static let keys = operations.map(\.key) + ["packet", "phase", "time", "connection_time"]
}

extension FaultPacketKind {
  private static let all: [String: FaultPacketKind] = {
    var kinds: [String: FaultPacketKind] = [:]
    for code in UInt8.min...UInt8.max {
      for kind: FaultPacketKind in [
        .attributeProtocol(ATTOpcode(code)), .securityManager(SMPCode(code)), .signaling(L2CAPSignalingCode(code)),
      ] {
        kinds[kind.description] = kind
      }
    }
    return kinds
  }()

  /// The names in the specification, for suggestions.
  static let names = all.keys.filter { !$0.contains("0x") }.sorted()

  /// The kind with a name of the specification, or with the name of a number such as "ATT opcode 0x44".
  static func named(_ name: String) -> FaultPacketKind? { all[name] }
}
