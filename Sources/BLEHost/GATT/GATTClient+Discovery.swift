import BLEAdapter
import BLECore
import BLEWire

/// The result of reading the values of one attribute type.
public struct TypeSearch: Hashable, Sendable {
  public let values: [TypedValue]
  /// The error that ended the search; `nil` if the whole range was searched.
  public let terminatingError: ATTErrorCode?
}

/// The discovery procedures of the specification: whole ranges, one request after another. Ranges are not validated here; that is
/// up to the server.
extension GATTClient {
  private typealias Step<Item> = (AttributeHandle, @escaping (DiscoveryStep<Item>) -> Void) -> Void

  /// Discovers all primary services (4.4.1), or with 0x2801 all secondary ones.
  public func discoverServices(
    _ type: BLEUUID = GATTType.primaryService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    list(from: .first, through: .last, completion) { [self] first, done in
      stepServices(type, from: first, through: .last, done)
    }
  }

  /// Discovers the primary services of one UUID (4.4.2), sent in its own length.
  public func discoverServices(with uuid: BLEUUID, _ completion: @escaping Completion<[RemoteService]>) {
    list(from: .first, through: .last, completion) { [self] first, done in
      stepServices(with: uuid, from: first, through: .last, done)
    }
  }

  /// Finds the include declarations of a range (4.5.1). 128-bit UUIDs are read from the included services' declarations.
  public func findIncludedServices(
    from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping Completion<[IncludeDeclaration]>
  ) {
    list(from: first, through: last, completion) { [self] first, done in
      stepIncludes(from: first, through: last) { [self] step in
        guard case .found(let includes, let through) = step else { return done(step) }
        resolve(includes) { done($0.step(through: through)) }
      }
    }
  }

  /// Discovers all characteristic declarations of a range (4.6.1).
  public func discoverCharacteristics(
    from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping Completion<[DeclaredCharacteristic]>
  ) {
    list(from: first, through: last, completion) { [self] first, done in
      stepCharacteristics(from: first, through: last, done)
    }
  }

  /// Discovers all attributes of a range (4.7.1).
  public func discoverDescriptors(
    from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    list(from: first, through: last, completion) { [self] first, done in
      stepInformation(from: first, through: last, done)
    }
  }

  /// Reads the values of one type in a range (4.8.2). Fails if an error response comes before any value.
  public func readValues(
    of type: BLEUUID, from first: AttributeHandle, through last: AttributeHandle,
    _ completion: @escaping Completion<TypeSearch>
  ) {
    sweep(from: first, through: last) { [self] first, done in
      stepValues(type, from: first, through: last, done)
    } _: { (result: Result<(items: [TypedValue], end: ATTErrorCode?), OperationError>) in
      completion(
        result.flatMap { found in
          if found.items.isEmpty, let end = found.end { return .failure(.attribute(code: end.rawValue)) }
          return .success(TypeSearch(values: found.items, terminatingError: found.end))
        })
    }
  }

  /// Reads the UUIDs that include declarations do not contain, one after another.
  func resolve(
    _ includes: [IncludeDeclaration], _ completion: @escaping (Result<[IncludeDeclaration], OperationError>) -> Void
  ) {
    guard let index = includes.firstIndex(where: { $0.uuid == nil }) else { return completion(.success(includes)) }
    let unresolved = includes[index]
    perform(ATTReadRequest(attributeHandle: unresolved.start), expecting: ATTReadResponse.self) { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(OperationError(failure)))
      case .success(let response):
        guard response.attributeValue.count == 16, let uuid = BLEUUID(octets: response.attributeValue) else {
          return completion(.failure(.protocolViolation("the service at \(unresolved.start) has no 128-bit UUID")))
        }
        var resolved = includes
        resolved[index] = IncludeDeclaration(
          handle: unresolved.handle, start: unresolved.start, end: unresolved.end, uuid: uuid)
        resolve(resolved, completion)
      }
    }
  }

  /// Repeats a step, each time after the last handle found, until the range is searched or the server sends an error response.
  private func sweep<Item>(
    from first: AttributeHandle, through last: AttributeHandle, into results: Results<Item> = Results(),
    _ step: @escaping Step<Item>,
    _ completion: @escaping (Result<(items: [Item], end: ATTErrorCode?), OperationError>) -> Void
  ) {
    step(first) { [self] outcome in
      switch outcome {
      case .failed(let error): completion(.failure(error))
      case .ended(let code): completion(.success((results.items, code)))
      case .found(let items, let through):
        results.items += items
        guard let next = through.next, next <= last else { return completion(.success((results.items, nil))) }
        sweep(from: next, through: last, into: results, step, completion)
      }
    }
  }

  /// Searches a range. Attribute Not Found is the regular end of a discovery; any other error response is a failure.
  private func list<Item>(
    from first: AttributeHandle, through last: AttributeHandle, _ completion: @escaping Completion<[Item]>,
    _ step: @escaping Step<Item>
  ) {
    sweep(from: first, through: last, step) { result in
      completion(
        result.flatMap { found in
          guard let end = found.end, end != .attributeNotFound else { return .success(found.items) }
          return .failure(.attribute(code: end.rawValue))
        })
    }
  }

  /// The results of a search so far. One object for all steps, because copying a list in each step would take quadratic time
  /// with a peer that reports one more item each time.
  private final class Results<Item> {
    var items: [Item] = []
  }
}

extension Result where Success == [IncludeDeclaration], Failure == OperationError {
  fileprivate func step(through: AttributeHandle) -> DiscoveryStep<IncludeDeclaration> {
    switch self {
    case .success(let includes): .found(includes, through: through)
    case .failure(.attribute(let code)): .ended(ATTErrorCode(code))
    case .failure(let error): .failed(error)
    }
  }
}
