import BLEReports

/// The members of a message.
struct FleetPayload {
  private var members: [String: JSONValue] = [:]

  init?(_ json: JSONValue) {
    guard case .object(let members) = json else { return nil }
    for member in members { self.members[member.key] = member.value }
  }

  subscript(_ name: String) -> JSONValue? { members[name] }

  func text(_ name: String) -> String? { if case .string(let text)? = members[name] { text } else { nil } }

  func number(_ name: String) -> Double? {
    switch members[name] {
    case .integer(let number)?: Double(number)
    case .number(let number)?: number
    default: nil
    }
  }
}

extension FleetValue {
  /// Of a message of a value or of a notification.
  init(_ json: FleetPayload, name: String, gateway: String, cut: (String) -> String) {
    let quantity = json["quantity"].flatMap(FleetPayload.init)
    let octets = json["value"].flatMap(FleetPayload.init)
    let number = quantity?.number("value")
    self.init(
      name: name,
      text: cut(
        number.map { $0.plain } ?? json.text("meaning") ?? json["fields"].map(Self.words) ?? octets?.text("utf8")
          ?? octets?.text("hex") ?? ""), number: number, unit: quantity?.text("unit").map(cut), gateway: gateway,
      time: json.text("time").map(cut))
  }

  /// `bolt: open, charge: 72 %` of the fields of a notification.
  private static func words(_ fields: JSONValue) -> String {
    guard case .object(let members) = fields else { return fields.text }
    return members.prefix(8).map { member in
      let reading = FleetPayload(member.value)
      let value = reading?.text("word") ?? reading?.text("value") ?? reading?.number("value")?.plain
      let unit = reading?.text("unit").map { " " + $0 } ?? ""
      return "\(member.key): \(value.map { $0 + unit } ?? member.value.text)"
    }.joined(separator: ", ")
  }
}
