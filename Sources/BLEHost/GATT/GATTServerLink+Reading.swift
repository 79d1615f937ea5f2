import BLEAdapter
import BLECore
import BLEWire

/// A Read Multiple in progress, with the values read so far.
struct MultipleRead {
  let handles: [AttributeHandle]
  let isVariable: Bool
  private(set) var values: [ArraySlice<UInt8>] = []

  init(_ handles: [AttributeHandle], isVariable: Bool) {
    self.handles = handles
    self.isVariable = isVariable
  }

  var isComplete: Bool { values.count == handles.count }
  /// The attribute to be read next.
  var next: AttributeHandle { handles[min(values.count, handles.count - 1)] }
  mutating func append(_ value: ArraySlice<UInt8>) { values.append(value.prefix(ATTLimits.maximumValueLength)) }
}

extension GATTServerLink {
  func read(_ handle: AttributeHandle, offset: Int, isBlob: Bool) {
    do throws(ATTErrorCode) {
      let attribute = try readable(handle)
      guard let value = value(of: attribute) else {
        return requestValue(of: attribute, offset: offset, .read(handle, isBlob: isBlob))
      }
      guard offset <= value.count else { throw .invalidOffset }
      respond(with: value.dropFirst(offset), isBlob: isBlob)
    } catch {
      bearer.refuse(error, at: handle)
    }
  }

  /// Responds with a value, truncated to what the MTU allows.
  func respond(with value: ArraySlice<UInt8>, isBlob: Bool) {
    let part = value.prefix(bearer.mtu - 1)
    if isBlob {
      bearer.respond(ATTReadBlobResponse(partAttributeValue: part), capacity: part.count + 1)
    } else {
      bearer.respond(ATTReadResponse(attributeValue: part), capacity: part.count + 1)
    }
  }

  private func requestValue(of attribute: Attribute, offset: Int, _ kind: WaitingRequest.Kind) {
    guard case .application(let application, let tag) = attribute.content else { return }
    let number = wait(kind, for: application)
    application.read(
      AttributeReadRequest(number: number, client: self, handle: attribute.handle, tag: tag, offset: offset))
  }

  // MARK: Multiple values

  func readMultiple(_ handles: [AttributeHandle], isVariable: Bool) {
    guard handles.count >= 2 else { return bearer.refuse(.invalidPDU, at: AttributeHandle(0)) }
    // All permissions are checked before the first application is asked.
    for handle in handles {
      do throws(ATTErrorCode) { _ = try readable(handle) } catch { return bearer.refuse(error, at: handle) }
    }
    resume(MultipleRead(handles, isVariable: isVariable))
  }

  /// Reads until an application must be asked for a value, or responds.
  func resume(_ reading: MultipleRead) {
    var reading = reading
    while !reading.isComplete {
      // The attribute may have been removed while an application was asked.
      guard let attribute = server.database[reading.next] else {
        return bearer.refuse(.invalidHandle, at: reading.next)
      }
      guard let value = value(of: attribute) else { return requestValue(of: attribute, offset: 0, .multiple(reading)) }
      reading.append(value)
    }
    let limit = bearer.mtu - 1
    if reading.isVariable {
      bearer.respond(ATTReadMultipleVariableResponse(values: reading.values, limit: limit), capacity: bearer.mtu)
    } else {
      var joined: [UInt8] = []
      for value in reading.values where joined.count < limit { joined.append(contentsOf: value) }
      bearer.respond(ATTReadMultipleResponse(setOfValues: joined.prefix(limit)), capacity: bearer.mtu)
    }
  }

  // MARK: By type

  /// The attributes of one type. Only these are copied, of all that are looked at.
  private func attributes(
    _ type: BLEUUID, from first: AttributeHandle, through last: AttributeHandle
  ) -> some Sequence<Attribute> {
    let all = server.database.attributes(from: first, through: last)
    return all.indices.lazy.filter { all[$0].type == type }.map { all[$0] }
  }

  func readByType(_ request: ATTReadByTypeRequest) {
    guard isValid(request.startingHandle, request.endingHandle) else { return }
    let limit = min(bearer.mtu - 4, 253)
    var list = ByteWriter(capacity: bearer.mtu)
    var length = 0
    for attribute in attributes(request.attributeType, from: request.startingHandle, through: request.endingHandle) {
      if let refusal = attribute.permissions.readRefusal(of: security) {
        // Only an error at the first attribute is reported; a later one ends the list.
        if length == 0 { return bearer.refuse(refusal, at: attribute.handle) }
        break
      }
      guard let value = value(of: attribute)?.prefix(limit) else {
        if length == 0 { return requestValue(of: attribute, offset: 0, .readByType(attribute.handle)) }
        break
      }
      if length == 0 { length = value.count + 2 }
      guard value.count + 2 == length, list.count + length <= bearer.mtu - 2 else { break }
      list.append(attribute.handle)
      list.append(contentsOf: value)
    }
    guard length > 0 else { return bearer.refuse(.attributeNotFound, at: request.startingHandle) }
    bearer.respond(
      ATTReadByTypeResponse(length: UInt8(clamping: length), attributeDataList: list.octets[...]),
      capacity: list.count + 2)
  }

  func respondToReadByType(_ handle: AttributeHandle, _ value: ArraySlice<UInt8>) {
    let part = value.prefix(min(bearer.mtu - 4, 253))
    var list = ByteWriter(capacity: part.count + 2)
    list.append(handle)
    list.append(contentsOf: part)
    bearer.respond(
      ATTReadByTypeResponse(length: UInt8(clamping: list.count), attributeDataList: list.octets[...]),
      capacity: list.count + 2)
  }

  func readByGroupType(_ request: ATTReadByGroupTypeRequest) {
    guard isValid(request.startingHandle, request.endingHandle) else { return }
    let type = request.attributeGroupType
    guard type == GATTType.primaryService || type == GATTType.secondaryService else {
      return bearer.refuse(.unsupportedGroupType, at: request.startingHandle)
    }
    var list = ByteWriter(capacity: bearer.mtu)
    var length = 0
    for attribute in attributes(type, from: request.startingHandle, through: request.endingHandle) {
      guard let value = attribute.storedValue else { continue }
      if length == 0 { length = value.count + 4 }
      guard value.count + 4 == length, list.count + length <= bearer.mtu - 2 else { break }
      list.append(attribute.handle)
      list.append(attribute.groupEnd)
      list.append(contentsOf: value)
    }
    guard length > 0 else { return bearer.refuse(.attributeNotFound, at: request.startingHandle) }
    bearer.respond(
      ATTReadByGroupTypeResponse(length: UInt8(clamping: length), attributeDataList: list.octets[...]),
      capacity: list.count + 2)
  }

  // MARK: Finding

  func findInformation(_ request: ATTFindInformationRequest) {
    guard isValid(request.startingHandle, request.endingHandle) else { return }
    var found: [ATTFindInformationResponse.Information] = []
    var room = bearer.mtu - 2
    for attribute in server.database.attributes(from: request.startingHandle, through: request.endingHandle) {
      let width = attribute.type.width
      room -= 2 + width.rawValue
      guard room >= 0, found.isEmpty || found[0].attributeType.width == width else { break }
      found.append(.init(attributeHandle: attribute.handle, attributeType: attribute.type))
    }
    guard !found.isEmpty else { return bearer.refuse(.attributeNotFound, at: request.startingHandle) }
    bearer.respond(ATTFindInformationResponse(found), capacity: bearer.mtu)
  }

  func findByTypeValue(_ request: ATTFindByTypeValueRequest) {
    guard isValid(request.startingHandle, request.endingHandle) else { return }
    let type = BLEUUID(request.attributeType)
    var found: [ATTFindByTypeValueResponse.HandlesInformation] = []
    let most = (bearer.mtu - 1) / 4
    for attribute in attributes(type, from: request.startingHandle, through: request.endingHandle) {
      guard found.count < most else { break }
      // A value that may not be read is not compared, which would disclose it.
      guard attribute.permissions.readRefusal(of: security) == nil, let value = value(of: attribute),
        isEqual(value, request.attributeValue, of: type)
      else { continue }
      found.append(.init(foundAttributeHandle: attribute.handle, groupEndHandle: attribute.groupEnd))
    }
    guard !found.isEmpty else { return bearer.refuse(.attributeNotFound, at: request.startingHandle) }
    bearer.respond(ATTFindByTypeValueResponse(found), capacity: bearer.mtu)
  }

  /// Values of service declarations are UUIDs: the 16-bit and 128-bit form of one are equal (Core, Vol 3 Part B 2.5.1).
  private func isEqual(_ value: ArraySlice<UInt8>, _ wanted: ArraySlice<UInt8>, of type: BLEUUID) -> Bool {
    guard type == GATTType.primaryService || type == GATTType.secondaryService, value.count != wanted.count,
      let uuid = BLEUUID(octets: value), let wantedUUID = BLEUUID(octets: wanted)
    else { return value == wanted }
    return uuid == wantedUUID
  }

  /// Refuses a range that is empty or begins with handle 0.
  private func isValid(_ first: AttributeHandle, _ last: AttributeHandle) -> Bool {
    if first >= .first && first <= last { return true }
    bearer.refuse(.invalidHandle, at: first)
    return false
  }
}
