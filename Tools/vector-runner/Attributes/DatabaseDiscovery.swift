import BLEAdapter
import BLECore
import BLEHost

/// Walks a whole database with the procedures of the client, services of both kinds and all that is in them.
final class DatabaseDiscovery {
  private let client: GATTClient
  private(set) var services: [VectorDatabase.Service] = []
  /// The first error of the protocol; 0: none.
  private(set) var error = 0

  init(_ client: GATTClient) { self.client = client }

  /// The peer answers at once: everything has happened when this returns.
  func run() -> DatabaseDiscovery {
    for type in [GATTType.primaryService, GATTType.secondaryService] {
      client.discoverServices(type) { [self] result in
        services += take(result).map {
          .init(
            start: $0.handles.lowerBound, end: $0.handles.upperBound, uuid: $0.uuid, isPrimary: $0.isPrimary)
        }
      }
    }
    services.sort { $0.start < $1.start }
    for index in services.indices { walk(&services[index]) }
    return self
  }

  private func walk(_ service: inout VectorDatabase.Service) {
    var includes: [VectorDatabase.Include] = []
    client.findIncludedServices(from: service.start, through: service.end) { [self] result in
      includes = take(result).map { .init(handle: $0.handle, start: $0.start, end: $0.end) }
    }
    service.includes = includes
    var characteristics: [VectorDatabase.Characteristic] = []
    client.discoverCharacteristics(from: service.start, through: service.end) { [self] result in
      characteristics = take(result).map {
        .init(handle: $0.handle, valueHandle: $0.valueHandle, uuid: $0.uuid, properties: $0.properties)
      }
    }
    for index in characteristics.indices {
      let end =
        index + 1 < characteristics.count
        ? AttributeHandle(characteristics[index + 1].handle.rawValue - 1) : service.end
      guard let first = characteristics[index].valueHandle.next, first <= end else { continue }
      client.discoverDescriptors(from: first, through: end) { [self] result in
        characteristics[index].descriptors = take(result).map { .init(handle: $0.handle, uuid: $0.uuid) }
      }
    }
    service.characteristics = characteristics
  }

  private func take<Element>(_ result: Result<[Element], GATTClient.Failure>) -> [Element] {
    switch result {
    case .success(let elements): return elements
    case .failure(.attribute(let code)):
      error = Int(code)
      return []
    case .failure:
      error = -1
      return []
    }
  }
}
