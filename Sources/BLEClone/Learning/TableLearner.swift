import BLECore
import BLEDeviceFiles
import BLEWire
import CoreBluetooth

/// The attributes of a device, from what its client discovered, read and wrote.
struct TableLearner {
  /// What is known of one attribute.
  struct Attribute {
    var kind: RecordedAttribute.Kind?
    var type: BLEUUID?
    var reads = Accesses()
    var writes = Accesses()
  }

  /// How accesses to an attribute ended.
  struct Accesses {
    var codes: Set<UInt8> = []
    var isRefusedEncrypted = false
    var succeeds = false
    var succeedsOpen = false

    mutating func refused(_ code: UInt8, isEncrypted: Bool) {
      codes.insert(code)
      if isEncrypted { isRefusedEncrypted = true }
    }

    mutating func succeeded(isEncrypted: Bool) {
      succeeds = true
      if !isEncrypted { succeedsOpen = true }
    }

    /// What explains all of them; `nil` where nothing was refused, and where nothing simple does.
    var refusal: RecordedRefusal? {
      guard codes.count == 1, let code = codes.first else { return nil }
      // Codes that pairing puts an end to (Core, Vol 3 Part C 10.3.1).
      let isSecurity = [.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort]
        .contains(ATTErrorCode(code))
      if !succeeds { return RecordedRefusal(code: code, endsWithEncryption: isSecurity && !isRefusedEncrypted) }
      guard !succeedsOpen, !isRefusedEncrypted else { return nil }
      return RecordedRefusal(code: code, endsWithEncryption: true)
    }
  }

  private(set) var attributes: [UInt16: Attribute] = [:]
  private(set) var maximumTransmissionUnit: UInt16?

  mutating func add(_ exchange: LoggedTalk.Exchange) {
    guard let response = exchange.response, let request = try? ATTClientPDU(exchange.request[...]),
      let answer = try? ATTServerPDU(response[...])
    else { return }
    if case .errorResponse(let error) = answer {
      refused(request, error, exchange.isEncrypted)
      return
    }
    switch (request, answer) {
    case (.exchangeMTURequest, .exchangeMTUResponse(let answer)):
      maximumTransmissionUnit = max(UInt16(ClonedServer.leastMTU), answer.serverRxMTU)
    case (.findInformationRequest, .findInformationResponse(let answer)):
      for entry in Self.entries(try? answer.entries()) where entry.attributeHandle.rawValue > 0 {
        attributes[entry.attributeHandle.rawValue, default: Attribute()].type = entry.attributeType
      }
    case (.readByGroupTypeRequest(let request), .readByGroupTypeResponse(let answer)):
      for entry in Self.entries(try? answer.entries()) {
        service(
          entry.attributeHandle, entry.endGroupHandle, entry.attributeValue,
          isPrimary: request.attributeGroupType == ClonedTable.primaryService)
      }
    case (.findByTypeValueRequest(let request), .findByTypeValueResponse(let answer)):
      let type = BLEUUID(request.attributeType)
      guard type == ClonedTable.primaryService || type == ClonedTable.secondaryService else { return }
      for entry in Self.entries(try? answer.entries()) {
        service(
          entry.foundAttributeHandle, entry.groupEndHandle, request.attributeValue,
          isPrimary: type == ClonedTable.primaryService)
      }
    case (.readByTypeRequest(let request), .readByTypeResponse(let answer)):
      for entry in Self.entries(try? answer.entries()) {
        found(entry.attributeHandle.rawValue, request.attributeType, entry.attributeValue, exchange.isEncrypted)
      }
    case (.readRequest(let request), _): read([request.attributeHandle], exchange.isEncrypted)
    case (.readBlobRequest(let request), _): read([request.attributeHandle], exchange.isEncrypted)
    case (.readMultipleRequest(let request), _): read(request.setOfHandles, exchange.isEncrypted)
    case (.readMultipleVariableRequest(let request), _): read(request.setOfHandles, exchange.isEncrypted)
    case (.writeRequest(let request), _): wrote(request.attributeHandle.rawValue, exchange.isEncrypted)
    case (.prepareWriteRequest(let request), _): wrote(request.attributeHandle.rawValue, exchange.isEncrypted)
    default: break
    }
  }

  /// An attribute that is used, whether it was discovered or not.
  mutating func uses(_ handle: UInt16) {
    if handle > 0, attributes[handle] == nil { attributes[handle] = Attribute() }
  }

  /// A write that was not refused.
  mutating func wrote(_ handle: UInt16, _ isEncrypted: Bool) {
    uses(handle)
    attributes[handle]?.writes.succeeded(isEncrypted: isEncrypted)
  }

  /// The type that was not discovered, but follows from the use.
  mutating func assume(_ type: BLEUUID, at handle: UInt16) { attributes[handle]?.type = type }

  private static func entries<Entry>(_ list: ATTList<Entry>?) -> [Entry] { list.map { Array($0) } ?? [] }

  private mutating func read(_ handles: [AttributeHandle], _ isEncrypted: Bool) {
    for handle in handles.map(\.rawValue) {
      uses(handle)
      attributes[handle]?.reads.succeeded(isEncrypted: isEncrypted)
    }
  }

  private mutating func service(
    _ first: AttributeHandle, _ last: AttributeHandle, _ value: ArraySlice<UInt8>, isPrimary: Bool
  ) {
    guard let uuid = Self.uuid(value), first.rawValue > 0, last >= first else { return }
    attributes[first.rawValue, default: Attribute()].kind = .service(uuid, end: last.rawValue, isPrimary: isPrimary)
  }

  private mutating func found(_ handle: UInt16, _ type: BLEUUID, _ value: ArraySlice<UInt8>, _ isEncrypted: Bool) {
    guard handle > 0 else { return }
    func number(_ offset: Int) -> UInt16 {
      UInt16(value[value.startIndex + offset]) | UInt16(value[value.startIndex + offset + 1]) << 8
    }
    if type == ClonedTable.characteristic, value.count >= 5, let uuid = Self.uuid(value.dropFirst(3)), number(1) > 0 {
      attributes[handle, default: Attribute()].kind = .characteristic(
        uuid, valueHandle: number(1), properties: value[value.startIndex])
      attributes[number(1), default: Attribute()].type = ClonedTable.wire(uuid)
    } else if type == ClonedTable.include, value.count >= 4, number(0) > 0, number(2) > 0 {
      attributes[handle, default: Attribute()].kind = .included(
        start: number(0), end: number(2), uuid: Self.uuid(value.dropFirst(4)))
    } else {
      attributes[handle, default: Attribute()].type = type
      read([AttributeHandle(handle)], isEncrypted)
    }
  }

  private mutating func refused(_ request: ATTClientPDU, _ error: ATTErrorResponse, _ isEncrypted: Bool) {
    // What is not there has no attribute that refuses.
    guard error.errorCode != .invalidHandle, error.errorCode != .attributeNotFound else { return }
    func refuse(_ handle: UInt16, _ path: WritableKeyPath<Attribute, Accesses>) {
      uses(handle)
      attributes[handle]?[keyPath: path].refused(error.errorCode.rawValue, isEncrypted: isEncrypted)
    }
    switch request {
    case .readRequest(let request): refuse(request.attributeHandle.rawValue, \.reads)
    case .readByTypeRequest: refuse(error.attributeHandleInError.rawValue, \.reads)
    case .writeRequest(let request): refuse(request.attributeHandle.rawValue, \.writes)
    case .prepareWriteRequest(let request): refuse(request.attributeHandle.rawValue, \.writes)
    default: break
    }
  }

  static func uuid(_ octets: ArraySlice<UInt8>) -> CBUUID? {
    octets.count == 2 || octets.count == 16 ? CBUUID(data: Data(octets.reversed())) : nil
  }

  /// The attributes in the order of their handles, without values.
  var recorded: [RecordedAttribute] {
    attributes.sorted { $0.key < $1.key }.map { handle, attribute in
      let type = attribute.type.flatMap { Self.uuid($0.forAttributeProtocol.octets[...]) }
      var recorded = RecordedAttribute(handle: handle, kind: attribute.kind ?? .value(type: type))
      recorded.readRefusal = attribute.reads.refusal
      recorded.writeRefusal = attribute.writes.refusal
      return recorded
    }
  }
}
