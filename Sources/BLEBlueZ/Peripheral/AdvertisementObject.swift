import BLEAdapter
import BLECore

/// An advertisement's object, as the daemon reads it.
final class AdvertisementObject: ExportedObject {
  private let content: LocalAdvertisement
  private let released: () -> Void

  /// - Parameter released: called when the daemon has stopped the advertisement by itself.
  init(_ content: LocalAdvertisement, released: @escaping () -> Void) {
    self.content = content
    self.released = released
  }

  var interfaces: [String] { [BlueZName.advertisement] }

  func properties(of interface: String) -> [String: BusValue] {
    // Scanners show only devices that advertise as discoverable; the adapter itself need not be.
    var properties: [String: BusValue] = ["Type": .string("peripheral"), "Discoverable": .boolean(true)]
    if !content.serviceUUIDs.isEmpty {
      properties["ServiceUUIDs"] = .texts(content.serviceUUIDs.map { $0.description.lowercased() })
    }
    if let name = content.localName { properties["LocalName"] = .string(name) }
    return properties
  }

  func handle(_ request: BusRequest) {
    guard request.member == "Release" else {
      return request.refuse(BusError(BusError.unknownMethod, "There is no \(request.member)."))
    }
    request.answer()
    released()
  }
}

/// The registration of one advertisement with the daemon.
final class AdvertisementRegistration {
  private let bus: MessageBus
  private let adapter: String
  private let path: String
  private let object: AdvertisementObject
  private var registration: BusRegistration?
  private var registering: BusCall?

  init(_ object: AdvertisementObject, path: String, on adapter: String, bus: MessageBus) throws(BusError) {
    self.object = object
    self.path = path
    self.adapter = adapter
    self.bus = bus
    registration = try bus.export(object, at: path, for: BlueZName.service)
  }

  func register(_ completion: @escaping (BusError?) -> Void) {
    registering = bus.call(
      "RegisterAdvertisement", of: BlueZName.advertisingManager, at: adapter, on: BlueZName.service,
      [.objectPath(path), .options([:])], timeout: .seconds(25)
    ) { [weak self] result in
      guard let self else { return }
      self.registering = nil
      switch result {
      case .success: completion(nil)
      case .failure(let error): completion(error)
      }
    }
  }

  /// Stops the advertisement; the completion is not called after this.
  func unregister() {
    registering?.cancel()
    registering = nil
    let kept = self
    bus.call(
      "UnregisterAdvertisement", of: BlueZName.advertisingManager, at: adapter, on: BlueZName.service,
      [.objectPath(path)], timeout: .seconds(25)
    ) { _ in kept.registration?.end() }
  }
}
