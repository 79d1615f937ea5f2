import BLEDeviceFiles
import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// What a gateway says, as JSON with the members of the tool's `--json`.
package struct GatewayMessages: Sendable {
  package let topics: GatewayTopics
  private let now: @Sendable () -> Date

  package init(_ topics: GatewayTopics, now: @escaping @Sendable () -> Date = { Date() }) {
    self.topics = topics
    self.now = now
  }

  /// A device as it is known at the moment.
  package struct Subject: Sendable, Equatable {
    /// Its name in topics.
    package var device: String
    package var identifier: UUID?
    package var address: String?
    package var name: String?

    package init(device: String, identifier: UUID? = nil, address: String? = nil, name: String? = nil) {
      self.device = device
      self.identifier = identifier
      self.address = address
      self.name = name
    }
  }

  func body(_ event: String, _ subject: Subject?, _ members: JSONValue) -> String {
    let beginning = members.preceded(by: [
      "event": .string(event), "time": .string(now().stamp), "gateway": .string(topics.gateway),
    ])
    guard let subject, case .object(let all) = beginning else { return beginning.text }
    let about: JSONValue = [
      "device": .string(subject.device), "identifier": .string(orNull: subject.identifier?.uuidString),
      "address": .string(orNull: subject.address), "name": .string(orNull: subject.name),
    ]
    let (head, tail) = (JSONValue.object(Array(all.prefix(3))), JSONValue.object(Array(all.dropFirst(3))))
    return JSONValue.combined(head, about, tail).text
  }

  // MARK: Devices

  /// A value of a characteristic. With a stamp if the device is one of a fleet.
  package func value(
    _ octets: Data, from path: CharacteristicPath, of subject: Subject, _ stamp: ValueStamp? = nil
  ) -> OutboxDraft {
    let characteristic = path.characteristic.uuidString
    let members: JSONValue = [
      "service": .string(orNull: path.service?.uuidString), "characteristic": .string(characteristic),
      "value": ValueText(Array(octets)).json,
      "meaning": .string(orNull: AssignedValues.meaning(of: Array(octets), in: characteristic)),
      "quantity": AssignedValues.quantity(of: Array(octets), in: characteristic),
    ]
    return OutboxDraft(
      .value, topic: topics.value(of: subject.device, GatewayTopics.level(path)),
      payload: body("value", subject, Self.stamped(members, stamp)),
      isRetained: true)
  }

  /// Something that a described device has said.
  package func notification(
    _ said: DescribedNotification, of subject: Subject, _ stamp: ValueStamp? = nil
  ) -> OutboxDraft {
    let members: JSONValue = ["notification": .string(said.name), "fields": said.readings.json]
    return OutboxDraft(
      .value, topic: topics.value(of: subject.device, GatewayTopics.level(said.name)),
      payload: body("notification", subject, Self.stamped(members, stamp)), isRetained: true)
  }

  private static func stamped(_ members: JSONValue, _ stamp: ValueStamp?) -> JSONValue {
    guard let stamp else { return members }
    return JSONValue.combined(
      members,
      .object([
        "stamp": [
          "epoch": .integer(stamp.epoch), "gateway": .string(stamp.holder.gateway),
          "instance": .string(stamp.holder.instance), "sequence": .integer(stamp.sequence),
        ]
      ]))
  }

  /// An event of a device's session; `nil` for one that programs are not told.
  package func event(_ event: SessionEvent, of subject: Subject) -> OutboxDraft? {
    let report = SessionReport(event)
    guard let name = report.name else { return nil }
    return OutboxDraft(
      .event, topic: topics.event(of: subject.device), payload: body(name, subject, report.members))
  }

  /// The strength of a connection.
  package func signal(_ strength: SignalStrength, of subject: Subject) -> OutboxDraft {
    let members: JSONValue = [
      "rssi": .integer(strength.rssi), "smoothed": .number(strength.smoothed.tenths),
      "proximity": .string(strength.proximity.rawValue),
    ]
    return OutboxDraft(
      .advertisement, topic: topics.signal(of: subject.device), payload: body("rssi", subject, members))
  }

  /// An advertisement, with its smoothed strength.
  package func advertisement(_ sighting: Sighting, smoothed: Double?, of device: String) -> OutboxDraft {
    let members = JSONValue.combined(
      .object([
        "event": .string("discovered"), "time": .string(now().stamp), "gateway": .string(topics.gateway),
        "device": .string(device),
      ]), sighting.json,
      .object(["measurements": sighting.measurements.json, "smoothed": smoothed.map { .number($0.tenths) } ?? .null]))
    return OutboxDraft(.advertisement, topic: topics.advertisement(of: device), payload: members.text)
  }

  /// Whether a device is connected and ready, for its retained status.
  package func status(of device: String, isReady: Bool) -> OutboxDraft {
    status(of: Subject(device: device), isReady: isReady)
  }

  package func status(of subject: Subject, isReady: Bool) -> OutboxDraft {
    let members: JSONValue = ["status": .string(isReady ? "online" : "offline")]
    return OutboxDraft(
      .event, topic: topics.status(of: subject.device), payload: body("status", subject, members), isRetained: true)
  }

  // MARK: The gateway

  package func losses(_ losses: OutboxLosses) -> OutboxDraft {
    let members: JSONValue = [
      "advertisements": .integer(Int(losses.advertisements)), "values": .integer(Int(losses.values)),
      "events": .integer(Int(losses.events)),
    ]
    return OutboxDraft(.loss, topic: topics.events, payload: body("dropped", nil, members))
  }

  /// Something that happened to the gateway.
  package func event(_ name: String, _ members: JSONValue) -> OutboxDraft {
    OutboxDraft(.event, topic: topics.events, payload: body(name, nil, members))
  }

  /// The answer to a command, without its time: a repeated answer is the same.
  package func answer(_ members: JSONValue, of device: String) -> String {
    body("answer", Subject(device: device), members)
  }
}

extension Double {
  /// Rounded to one decimal.
  var tenths: Double { (self * 10).rounded() / 10 }
}

extension AssignedValues {
  /// `{"value": 21.5, "unit": "°C"}` of a characteristic that the SIG has assigned one number; otherwise `null`.
  static func quantity(of octets: [UInt8], in characteristic: String) -> JSONValue {
    guard let short = UInt16(characteristic, radix: 16), characteristic.count == 4, let quantity = quantities[short],
      let words = quantity.words(octets), let number = Double(words.prefix { $0 != " " })
    else { return .null }
    return ["value": .number(number), "unit": quantity.unit.isEmpty ? .null : .string(quantity.unit)]
  }
}
