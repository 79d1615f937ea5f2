import BLEAdapter
import BLECore
import BLEWire

/// The result of one request of a discovery.
enum DiscoveryStep<Item> {
  /// One or more items in ascending order; the range is searched through `through`.
  case found([Item], through: AttributeHandle)
  /// The server sent an error response; Attribute Not Found means that the range contains nothing more.
  case ended(ATTErrorCode)
  case failed(OperationError)

  /// Evaluates a response, which `read` decodes.
  init<Response>(
    _ result: Result<Response, ATTFailure>,
    _ read: (Response) throws(DecodeError) -> (items: [Item], through: AttributeHandle)
  ) {
    switch result {
    case .failure(.refused(let code, _)): self = .ended(code)
    case .failure(let failure): self = .failed(OperationError(failure))
    case .success(let response):
      do throws(DecodeError) {
        let (items, through) = try read(response)
        self = .found(items, through: through)
      } catch {
        self = .failed(OperationError(error))
      }
    }
  }
}

/// An include declaration (Core, Vol 3 Part G 3.2).
public struct IncludeDeclaration: Hashable, Sendable {
  public let handle: AttributeHandle
  public let start: AttributeHandle
  public let end: AttributeHandle
  /// `nil` if the declaration does not contain it: the UUID has 128 bits and must be read from the service declaration.
  public let uuid: BLEUUID?
}

/// A characteristic declaration (Core, Vol 3 Part G 3.3.1).
public struct DeclaredCharacteristic: Hashable, Sendable {
  public let handle: AttributeHandle
  public let properties: UInt8
  public let valueHandle: AttributeHandle
  public let uuid: BLEUUID
}

/// A value found by its attribute type.
public struct TypedValue: Hashable, Sendable {
  public let handle: AttributeHandle
  /// The value, or its beginning if it did not fit into the response.
  public let value: [UInt8]
}

/// Single requests of the discovery procedures. Results have ascending handles within the requested range, so a procedure that
/// continues after the last one terminates whatever the peer responds.
extension GATTClient {
  func stepServices(
    _ type: BLEUUID, from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<RemoteService>) -> Void
  ) {
    let request = ATTReadByGroupTypeRequest(startingHandle: first, endingHandle: last, attributeGroupType: type)
    perform(request, expecting: ATTReadByGroupTypeResponse.self) { result in
      completion(
        DiscoveryStep(result) { response throws(DecodeError) in
          let entries = try response.entries().ascending(from: first, through: last)
          var services: [RemoteService] = []
          services.reserveCapacity(entries.count)
          for entry in entries {
            services.append(
              RemoteService(
                uuid: try Self.uuid(entry.attributeValue), handles: entry.attributeHandle...entry.endGroupHandle,
                isPrimary: type == GATTType.primaryService))
          }
          return (services, entries.lastHandle(or: last))
        })
    }
  }

  func stepServices(
    with uuid: BLEUUID, from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<RemoteService>) -> Void
  ) {
    let request = ATTFindByTypeValueRequest(
      startingHandle: first, endingHandle: last, attributeType: 0x2800, attributeValue: uuid.octets[...])
    perform(request, expecting: ATTFindByTypeValueResponse.self) { result in
      completion(
        DiscoveryStep(result) { response throws(DecodeError) in
          let entries = try response.entries().ascending(from: first, through: last)
          let services = entries.map {
            RemoteService(uuid: uuid, handles: $0.foundAttributeHandle...$0.groupEndHandle, isPrimary: true)
          }
          return (services, entries.lastHandle(or: last))
        })
    }
  }

  func stepIncludes(
    from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<IncludeDeclaration>) -> Void
  ) {
    stepValues(GATTType.include, from: first, through: last, completion) { entry throws(DecodeError) in
      var reader = ByteReader(entry.attributeValue, layer: "GATT include declaration")
      let start = try reader.attributeHandle("Included Service Attribute Handle")
      let end = try reader.attributeHandle("End Group Handle")
      let uuid = reader.isAtEnd ? nil : try reader.uuid(octets: 2, "Service UUID")
      try reader.finish()
      guard start >= .first, start <= end else {
        throw reader.failure("End Group Handle", .invalid("\(start) to \(end) is not a service's handle range"))
      }
      return IncludeDeclaration(handle: entry.attributeHandle, start: start, end: end, uuid: uuid)
    }
  }

  func stepCharacteristics(
    from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<DeclaredCharacteristic>) -> Void
  ) {
    stepValues(GATTType.characteristic, from: first, through: last, completion) { entry throws(DecodeError) in
      var reader = ByteReader(entry.attributeValue, layer: "GATT characteristic declaration")
      let properties = try reader.uint8("Characteristic Properties")
      let value = try reader.attributeHandle("Characteristic Value Handle")
      return DeclaredCharacteristic(
        handle: entry.attributeHandle, properties: properties, valueHandle: value,
        uuid: try Self.uuid(reader.rest()))
    }
  }

  func stepValues(
    _ type: BLEUUID, from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<TypedValue>) -> Void
  ) {
    stepValues(type, from: first, through: last, completion) { entry throws(DecodeError) in
      TypedValue(handle: entry.attributeHandle, value: Array(entry.attributeValue))
    }
  }

  /// As `stepValues`, for which attributes have this type.
  func stepHandles(
    _ type: BLEUUID, from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<AttributeHandle>) -> Void
  ) {
    stepValues(type, from: first, through: last, completion) { entry throws(DecodeError) in entry.attributeHandle }
  }

  func stepInformation(
    from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<RemoteDescriptor>) -> Void
  ) {
    let request = ATTFindInformationRequest(startingHandle: first, endingHandle: last)
    perform(request, expecting: ATTFindInformationResponse.self) { result in
      completion(
        DiscoveryStep(result) { response throws(DecodeError) in
          let entries = try response.entries().ascending(from: first, through: last)
          let attributes = entries.map { RemoteDescriptor(uuid: $0.attributeType, handle: $0.attributeHandle) }
          return (attributes, entries.lastHandle(or: last))
        })
    }
  }

  private func stepValues<Item>(
    _ type: BLEUUID, from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping (DiscoveryStep<Item>) -> Void,
    _ read: @escaping (ATTReadByTypeResponse.AttributeData) throws(DecodeError) -> Item
  ) {
    let request = ATTReadByTypeRequest(startingHandle: first, endingHandle: last, attributeType: type)
    perform(request, expecting: ATTReadByTypeResponse.self) { result in
      completion(
        DiscoveryStep(result) { response throws(DecodeError) in
          let entries = try response.entries().ascending(from: first, through: last)
          var items: [Item] = []
          items.reserveCapacity(entries.count)
          for entry in entries { items.append(try read(entry)) }
          return (items, entries.lastHandle(or: last))
        })
    }
  }

  private static func uuid(_ octets: ArraySlice<UInt8>) throws(DecodeError) -> BLEUUID {
    guard octets.count != 4, let uuid = BLEUUID(octets: octets) else {
      throw DecodeError(
        layer: "GATT", field: "UUID", offset: 0,
        reason: .invalid("\(octets.count) octets are not the UUID of an attribute"), octets: octets)
    }
    return uuid
  }
}

extension ATTList {
  /// The handle at which the list ends. A decoded list has at least one entry.
  fileprivate func lastHandle(or fallback: AttributeHandle) -> AttributeHandle {
    isEmpty ? fallback : self[count - 1].lastHandle
  }
}
