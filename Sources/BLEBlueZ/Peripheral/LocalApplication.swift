import BLEAdapter
import BLECore

/// A published service.
final class ApplicationService {
  let identifier: LocalServiceIdentifier
  let service: LocalService
  /// Its first handle; 0 until the daemon has set it.
  var handle: UInt16
  init(_ identifier: LocalServiceIdentifier, _ service: LocalService) {
    self.identifier = identifier
    self.service = service
    handle = service.place?.rawValue ?? 0
  }
}

/// Services registered with the daemon together: one service and those it includes, because the daemon looks for included services in the
/// same application. Separate applications let a service be added and removed without changing the others' handles and subscriptions.
final class LocalApplication {
  let services: [ApplicationService]
  private(set) var characteristics: [CharacteristicObject] = []
  private let path: String
  private let bus: MessageBus
  private let registration: ManagerRegistration
  private var serviceObjects: [ServiceObject] = []
  private var descriptors: [DescriptorObject] = []
  private var exports: [BusRegistration] = []

  init(
    _ services: [ApplicationService], path: String, on adapter: String, bus: MessageBus,
    owner: any CharacteristicRequests
  ) throws(BusError) {
    self.services = services
    self.path = path
    self.bus = bus
    registration = ManagerRegistration("Application", with: BlueZName.gattManager, path: path, on: adapter, bus: bus)
    exports.append(try bus.exportRoot(at: path, for: BlueZName.service))
    for published in services { try export(published, owner) }
  }

  private func export(_ published: ApplicationService, _ owner: any CharacteristicRequests) throws(BusError) {
    let service = published.service
    let object = ServiceObject(
      path: path(of: published.identifier), service, included: service.included.map(path(of:)),
      handle: published.handle)
    serviceObjects.append(object)
    try export(object, at: object.path)
    for (index, characteristic) in service.characteristics.enumerated() {
      let child = CharacteristicObject(
        path: "\(object.path)/char\(index)", service: object.path, characteristic, owner: owner)
      characteristics.append(child)
      try export(child, at: child.path)
      for (index, descriptor) in characteristic.descriptors.enumerated() {
        let grandchild = DescriptorObject(
          path: "\(child.path)/desc\(index)", characteristic: child.path, descriptor)
        descriptors.append(grandchild)
        try export(grandchild, at: grandchild.path)
      }
    }
  }

  private func export(_ object: any ExportedObject, at path: String) throws(BusError) {
    exports.append(try bus.export(object, at: path, for: BlueZName.service))
  }

  private func path(of service: LocalServiceIdentifier) -> String { "\(path)/service\(service.rawValue)" }

  /// Registers the application: the daemon reads the objects, adds them to its database, and sets their handles.
  func register(_ completion: @escaping (BusError?) -> Void) { registration.begin(completion) }

  /// The first handle of one of the services, once the daemon has set it.
  func handle(of service: ApplicationService) -> UInt16 {
    guard let index = services.firstIndex(where: { $0 === service }) else { return 0 }
    let handle = serviceObjects[index].handle
    if handle != 0 { service.handle = handle }
    return handle
  }

  /// Withdraws the services. Their objects stay exported until the daemon has answered.
  func unregister() {
    for service in services { _ = handle(of: service) }
    registration.end { self.end() }
  }

  func end() {
    for export in exports { export.end() }
    exports = []
  }
}
