import BLECore

/// Which packets the calls of Core Bluetooth cause, and which packets cause its callbacks.
enum ProgramVocabulary {
  typealias Act = PacketFacts.Act

  /// What a call makes its host send.
  struct Effect {
    let acts: Set<Act>
    /// Whether the packets are about the attribute that the call names.
    var namesAttribute = true
    /// Whether a callback says that it is done. Until then more packets may follow.
    var hasEnd = true
  }

  /// What a callback comes from.
  struct Origin {
    let acts: Set<Act>
    /// The calls that it ends, by their names in front of the parenthesis.
    var ends: Set<String> = []
    /// Whether it comes from the latest of the packets instead of from the first that no callback came from.
    var isLatest = false
    var namesAttribute = true
    /// The type of the attribute that the packet is about, where it is not the callback's.
    var type: BLEUUID?
  }

  static func effect(of step: ProgramStep) -> Effect? { step.words.first.flatMap { effects[String($0)] } }

  static func origin(of step: ProgramStep) -> Origin? {
    // The last word that is known: the first are the delegate's own.
    step.words.reversed().lazy.compactMap { origins[String($0)] }.first
  }

  private static func attributes(_ opcodes: UInt8...) -> Set<Act> { Set(opcodes.map { .attribute($0) }) }
  private static func commands(_ opcodes: UInt16...) -> Set<Act> { Set(opcodes.map { .command($0) }) }
  private static func events(_ codes: UInt16...) -> Set<Act> { Set(codes.map { .event($0) }) }

  /// Client Characteristic Configuration.
  private static let configuration = BLEUUID(0x2902)

  private static let effects: [String: Effect] = [
    "scanForPeripherals": Effect(acts: commands(0x200B, 0x200C, 0x2041, 0x2042), hasEnd: false),
    "stopScan": Effect(acts: commands(0x200C, 0x2042), hasEnd: false),
    "connect": Effect(acts: commands(0x200D, 0x2043)),
    "cancelPeripheralConnection": Effect(acts: commands(0x0406, 0x200E)),
    "readRSSI": Effect(acts: commands(0x1405)),
    "discoverServices": Effect(acts: attributes(0x10, 0x06)),
    "discoverIncludedServices": Effect(acts: attributes(0x08)),
    "discoverCharacteristics": Effect(acts: attributes(0x08)),
    "discoverDescriptors": Effect(acts: attributes(0x04)),
    "readValue": Effect(acts: attributes(0x0A, 0x0C, 0x08)),
    "writeValue": Effect(acts: attributes(0x12, 0x16, 0x18, 0x52)),
    "setNotifyValue": Effect(acts: attributes(0x12), namesAttribute: false),
    "openL2CAPChannel": Effect(acts: [.signaling(0x14), .signaling(0x17)]),
    "startAdvertising": Effect(acts: commands(0x2006, 0x2008, 0x2009, 0x200A, 0x2036, 0x2037, 0x2038, 0x2039)),
    "stopAdvertising": Effect(acts: commands(0x200A, 0x2039), hasEnd: false),
    "updateValue": Effect(acts: attributes(0x1B, 0x1D, 0x23), hasEnd: false),
    "respond": Effect(
      acts: attributes(0x01, 0x09, 0x0B, 0x0D, 0x0F, 0x13, 0x17, 0x19, 0x21), namesAttribute: false, hasEnd: false),
  ]

  private static let origins: [String: Origin] = [
    "didDiscover": Origin(acts: events(0x3E02, 0x3E0D), isLatest: true),
    "didConnect": Origin(acts: events(0x3E01, 0x3E0A, 0x3E29), ends: ["connect"], isLatest: true),
    "didFailToConnect": Origin(acts: events(0x3E01, 0x3E0A, 0x3E29, 0x05), ends: ["connect"], isLatest: true),
    "didDisconnectPeripheral": Origin(acts: events(0x05), ends: ["cancelPeripheralConnection"], isLatest: true),
    "didReadRSSI": Origin(acts: [.answer(0x1405)], ends: ["readRSSI"]),
    "didDiscoverServices": Origin(acts: attributes(0x11, 0x07, 0x01), ends: ["discoverServices"], isLatest: true),
    "didDiscoverIncludedServicesFor": Origin(
      acts: attributes(0x09, 0x01), ends: ["discoverIncludedServices"], isLatest: true, namesAttribute: false),
    "didDiscoverCharacteristicsFor": Origin(
      acts: attributes(0x09, 0x01), ends: ["discoverCharacteristics"], isLatest: true, namesAttribute: false),
    "didDiscoverDescriptorsFor": Origin(
      acts: attributes(0x05, 0x01), ends: ["discoverDescriptors"], isLatest: true, namesAttribute: false),
    "didUpdateValueFor": Origin(acts: attributes(0x0B, 0x0D, 0x09, 0x1B, 0x1D, 0x23, 0x01), ends: ["readValue"]),
    "didWriteValueFor": Origin(acts: attributes(0x13, 0x17, 0x19, 0x01), ends: ["writeValue"]),
    "didUpdateNotificationStateFor": Origin(
      acts: attributes(0x13, 0x01), ends: ["setNotifyValue"], namesAttribute: false),
    "didModifyServices": Origin(acts: attributes(0x1D), isLatest: true, namesAttribute: false),
    "didOpen": Origin(
      acts: [.signaling(0x15), .signaling(0x18), .signaling(0x14), .signaling(0x17)], ends: ["openL2CAPChannel"],
      isLatest: true),
    "peripheralIsReady": Origin(acts: events(0x13), isLatest: true),
    "peripheralManagerIsReady": Origin(acts: events(0x13), isLatest: true),
    "peripheralManagerDidStartAdvertising": Origin(
      acts: [.answer(0x200A), .answer(0x2039)], ends: ["startAdvertising"], isLatest: true),
    "didReceiveRead": Origin(acts: attributes(0x0A, 0x0C, 0x08, 0x0E, 0x20)),
    "didReceiveWrite": Origin(acts: attributes(0x12, 0x52, 0x18)),
    "didSubscribeTo": Origin(acts: attributes(0x12), namesAttribute: false, type: configuration),
    "didUnsubscribeFrom": Origin(acts: attributes(0x12), namesAttribute: false, type: configuration),
  ]
}
