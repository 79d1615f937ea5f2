import BLEProfileFiles
import BLESession
import CoreBluetooth

extension ProfileServer {
  /// Reports an event of one characteristic.
  func report(_ event: String, _ served: ServedCharacteristic, _ central: UUID?, _ value: [UInt8]?) {
    session.output.attribute(event, served.path, central, value) {
      // For a chat, only the text is printed.
      if event == "written", served.profile.notifications == .input, let text = ValueText($0).readableText {
        return session.output.style.isOn ? "\u{7}> " + text.inert : "> " + text.inert
      }
      return "\(event) \(session.output.style.strong(served.uuid)) \(AssignedValues.describe($0, of: served.uuid))"
    }
  }
}

/// What `ble serve` prints, for profiles and for described devices.
extension Output {
  func advertising(_ plan: AdvertisingPlan, _ more: JSONValue = [:]) {
    let services = plan.services.map(\.uuidString)
    let title = plan.localName.map { "'\($0.inert)'" } ?? "a device without a name"
    event(
      "advertising",
      .combined(
        ["name": .string(orNull: plan.localName), "services": .array(services.map(JSONValue.string))], more),
      "Advertising \(title)" + (services.isEmpty ? "" : " with \(services.joined(separator: ", "))"))
  }

  func unavailable() { event("unavailable", [:], "Bluetooth is unavailable; waiting until it is back.") }

  /// An event of one characteristic; `sentence` is for events with a value.
  func attribute(
    _ name: String, _ path: CharacteristicPath, _ central: UUID?, _ value: [UInt8]?, _ sentence: ([UInt8]) -> String
  ) {
    let uuid = path.characteristic.uuidString
    event(
      name,
      [
        "service": .string(orNull: path.service?.uuidString), "characteristic": .string(uuid),
        "central": .string(orNull: central?.uuidString), "value": value.map { ValueText($0).json } ?? .null,
      ], value.map(sentence) ?? "\(name) \(style.strong(uuid))")
  }
}
