import BLEProfileFiles
import CoreBluetooth

extension ProfileServer {
  /// Reports an event of one characteristic.
  func report(_ event: String, _ served: ServedCharacteristic, _ central: CBCentral?, _ value: [UInt8]?) {
    let uuid = served.published.uuid.uuidString
    let members = JSONValue.object([
      "service": .string(served.service.uuidString), "characteristic": .string(uuid),
      "central": .string(orNull: central?.identifier.uuidString),
      "value": value.map { ValueText($0).json } ?? .null,
    ])
    session.output.event(event, members, sentence(event, uuid, served, value))
  }

  private func sentence(_ event: String, _ uuid: String, _ served: ServedCharacteristic, _ value: [UInt8]?) -> String {
    // For a chat, only the text is printed.
    if event == "written", served.profile.notifications == .input, let text = value.map(ValueText.init)?.readableText {
      let bell = session.output.style.isOn ? "\u{7}" : ""
      return bell + "> " + text.inert
    }
    let name = session.output.style.strong(uuid)
    guard let value else { return "\(event) \(name)" }
    return "\(event) \(name) \(AssignedValues.describe(value, of: uuid))"
  }
}
