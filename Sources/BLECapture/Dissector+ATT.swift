import BLECore
import BLEWire

extension Dissector {
  func describeAttribute(
    _ payload: ArraySlice<UInt8>, _ key: DissectorLinks.Key, _ direction: CaptureDirection
  ) -> String {
    understood("ATT", payload) {
      let opcode = ATTOpcode(payload.first ?? 0)
      let isFromServer = opcode.isFromServer
      // Both sides may have a database: this packet concerns that of the side that responds.
      let server: CaptureDirection = isFromServer == (direction == .received) ? .received : .sent
      let text =
        try isFromServer
        ? parameters(ATTServerPDU(payload), key, server) : parameters(ATTClientPDU(payload), key, server)
      return text.isEmpty ? "\(opcode)" : "\(opcode) \(text)"
    }
  }

  private func parameters(_ pdu: ATTClientPDU, _ key: DissectorLinks.Key, _ server: CaptureDirection) -> String {
    if case .readByTypeRequest(let request) = pdu {
      links.learn(key, server) { $0.typeAsked = request.attributeType }
    }
    let handle = Self.handle(of: pdu)
    if pdu.opcode.role == .request { links.learn(key, server) { $0.handleAsked = handle } }
    return text(Self.parameters(pdu), about: handle, key, server)
  }

  private func parameters(
    _ pdu: ATTServerPDU, _ key: DissectorLinks.Key, _ server: CaptureDirection
  ) throws(DecodeError) -> String {
    switch pdu {
    case .readByTypeResponse(let response):
      return list(try response.entries()) { entry in
        if links.typeAsked(key, server) == Self.deviceNameType { deviceName = entry.attributeValue }
        if let characteristic = learnCharacteristic(entry.attributeValue, key, server) { return characteristic }
        links.learn(key, server) { database in
          if let type = database.typeAsked { database.types[entry.attributeHandle] = type }
        }
        return "\(named(entry.attributeHandle, key, server)): \(PacketText.of(octets: entry.attributeValue))"
      }
    case .findInformationResponse(let response):
      return list(try response.entries()) { entry in
        links.learn(key, server) { $0.types[entry.attributeHandle] = entry.attributeType }
        return "\(entry.attributeHandle) \(PacketText.of(entry.attributeType))"
      }
    case .readByGroupTypeResponse(let response):
      return list(try response.entries()) { entry in
        let value = BLEUUID(octets: entry.attributeValue).map { PacketText.of($0) }
        return "\(entry.attributeHandle)-\(entry.endGroupHandle) "
          + (value ?? PacketText.of(octets: entry.attributeValue))
      }
    case .findByTypeValueResponse(let response):
      return list(try response.entries()) { "\($0.foundAttributeHandle)-\($0.groupEndHandle)" }
    case .multipleHandleValueNotification(let notification):
      return try notification.tuples().map {
        "\(named($0.attributeHandle, key, server)): \(PacketText.of(octets: $0.attributeValue))"
      }.joined(separator: ", ")
    case .readResponse(let response)
    where links.type(of: links.handleAsked(key, server), key, server) == Self.deviceNameType:
      deviceName = response.attributeValue
      return text(Self.parameters(pdu), about: links.handleAsked(key, server), key, server)
    case .readResponse, .readBlobResponse, .writeResponse:
      return text(Self.parameters(pdu), about: links.handleAsked(key, server), key, server)
    default: return text(Self.parameters(pdu), about: Self.handle(of: pdu), key, server)
    }
  }

  /// The text of a PDU with the name of its attribute, if known.
  private func text(
    _ text: String, about handle: AttributeHandle?, _ key: DissectorLinks.Key, _ server: CaptureDirection
  ) -> String {
    guard let handle, let name = links.type(of: handle, key, server).map(Self.name) else { return text }
    return text.isEmpty ? "(\(name))" : "\(text) (\(name))"
  }

  private func list<Entry>(_ entries: ATTList<Entry>, _ text: (Entry) -> String) -> String {
    entries.map(text).joined(separator: ", ")
  }

  private func named(_ handle: AttributeHandle, _ key: DissectorLinks.Key, _ server: CaptureDirection) -> String {
    links.type(of: handle, key, server).map { "\(handle) (\(Self.name($0)))" } ?? "\(handle)"
  }

  /// The declaration of a characteristic as text, after storing the name of its value; `nil` if the request was not for declarations.
  private func learnCharacteristic(
    _ declaration: ArraySlice<UInt8>, _ key: DissectorLinks.Key, _ server: CaptureDirection
  ) -> String? {
    var text: String?
    links.learn(key, server) { database in
      guard database.typeAsked == BLEUUID(0x2803) else { return }
      var reader = ByteReader(declaration, layer: "ATT")
      guard let properties = try? reader.uint8("properties"), let handle = try? reader.attributeHandle("handle"),
        let uuid = BLEUUID(octets: reader.rest())
      else { return }
      database.types[handle] = uuid
      text = "\(handle) \(PacketText.of(uuid)) properties \(numberText(properties, digits: 2))"
    }
    return text
  }

  /// Of the Generic Access service (Core, Vol 3 Part C 12.1).
  private static let deviceNameType = BLEUUID(0x2A00)

  private static func name(_ uuid: BLEUUID) -> String { AssignedNumbers.name(uuid) ?? uuid.description }

  /// The attribute of a PDU.
  private static func handle(of pdu: ATTClientPDU) -> AttributeHandle? {
    switch pdu {
    case .readRequest(let packet): packet.attributeHandle
    case .readBlobRequest(let packet): packet.attributeHandle
    case .writeRequest(let packet): packet.attributeHandle
    case .writeCommand(let packet): packet.attributeHandle
    case .signedWriteCommand(let packet): packet.attributeHandle
    case .prepareWriteRequest(let packet): packet.attributeHandle
    default: nil
    }
  }

  /// The attribute of a PDU.
  private static func handle(of pdu: ATTServerPDU) -> AttributeHandle? {
    switch pdu {
    case .prepareWriteResponse(let packet): packet.attributeHandle
    case .handleValueNotification(let packet): packet.attributeHandle
    case .handleValueIndication(let packet): packet.attributeHandle
    case .errorResponse(let packet): packet.attributeHandleInError
    default: nil
    }
  }
}
