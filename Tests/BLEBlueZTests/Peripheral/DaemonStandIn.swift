import BLECore
import Testing

@testable import BLEBlueZ

/// Acts as the daemon towards a peripheral: reads the registered objects, as bluetoothd does, and calls them.
final class DaemonStandIn: Sendable {
  static let adapter = "/org/bluez/hci0"
  let peer: BusPeer
  private let object: LoopBound<Manager>
  private let registration: LoopBound<BusRegistration>

  /// On the loop of the stand-in.
  final class Manager: ExportedObject {
    let interfaces = ["org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1"]
    weak var bus: MessageBus?
    /// The registered objects, by path; their sender under "".
    var applications: [String: [String: BusValue]] = [:]
    var advertisements: [String: [String: BusValue]] = [:]
    var sender = ""
    /// The answer to the next registration.
    var refusal: BusError?
    var nextHandle: UInt16 = 0x20

    func handle(_ request: BusRequest) {
      guard let path = request.arguments.first?.path, let bus else { return }
      sender = request.sender
      if let refusal {
        self.refusal = nil
        return request.refuse(refusal)
      }
      switch request.member {
      case "RegisterApplication":
        bus.call(
          "GetManagedObjects", of: MessageBus.managerInterface, at: path, on: request.sender, timeout: nil
        ) { answer in self.register(path, (try? answer.get())?.first?.objects ?? [:], request) }
      case "RegisterAdvertisement":
        bus.call(
          "GetAll", of: MessageBus.propertiesInterface, at: path, on: request.sender,
          [.string("org.bluez.LEAdvertisement1")], timeout: nil
        ) { answer in
          self.advertisements[path] = (try? answer.get())?.first?.properties
          request.answer()
        }
      case "UnregisterApplication":
        request.answer()
        applications[path] = nil
      case "UnregisterAdvertisement":
        request.answer()
        advertisements[path] = nil
      default: break
      }
    }

    private func register(_ path: String, _ objects: [String: BusValue], _ request: BusRequest) {
      guard let bus else { return }
      applications[path] = objects
      for (object, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
        guard let service = interfaces.properties?["org.bluez.GattService1"]?.properties,
          service["Handle"]?.unsigned16 == 0
        else { continue }
        bus.call(
          "Set", of: MessageBus.propertiesInterface, at: object, on: request.sender,
          [.string("org.bluez.GattService1"), .string("Handle"), .variant(.uint16(nextHandle))], timeout: nil
        ) { _ in }
        nextHandle += 0x10
      }
      request.answer()
    }
  }

  init(on bus: PrivateBus) async throws {
    peer = try BusPeer(on: bus, "daemon")
    let object = LoopBound(Manager())
    self.object = object
    registration = try await peer.run { bus in
      object.value.bus = bus
      return LoopBound(try bus.export(object.value, at: Self.adapter))
    }
    try await peer.own("org.bluez")
  }

  func look<Result: Sendable>(_ body: @escaping @Sendable (Manager) -> Result) async throws -> Result {
    let object = object
    return try await peer.run { _ in body(object.value) }
  }

  /// All registered objects that have this interface, with its properties, by path.
  func objects(with interface: String) async throws -> [(path: String, properties: [String: BusValue])] {
    try await look { manager in
      manager.applications.values.flatMap { $0 }
        .compactMap { path, interfaces in
          interfaces.properties?[interface]?.properties.map { (path: path, properties: $0) }
        }
        .sorted { $0.path < $1.path }
    }
  }

  func call(
    _ member: String, at path: String, of interface: String = "org.bluez.GattCharacteristic1",
    _ arguments: [BusValue] = []
  )
    async throws -> Result<[BusValue], BusError>
  {
    let sender = try await look { $0.sender }
    return await peer.call(member, of: interface, at: path, on: sender, arguments)
  }
}
