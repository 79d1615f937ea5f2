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
  private let object: AdvertisementObject
  private let export: BusRegistration
  private let registration: ManagerRegistration

  init(_ object: AdvertisementObject, path: String, on adapter: String, bus: MessageBus) throws(BusError) {
    self.object = object
    export = try bus.export(object, at: path, for: BlueZName.service)
    registration = ManagerRegistration(
      "Advertisement", with: BlueZName.advertisingManager, path: path, on: adapter, bus: bus)
  }

  func register(_ completion: @escaping (BusError?) -> Void) { registration.begin(completion) }

  /// Stops the advertisement; the completion is not called after this.
  func unregister() { registration.end { self.export.end() } }
}
