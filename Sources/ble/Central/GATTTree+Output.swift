import BLECore
import BLESession
import BLEWire
import Foundation

extension GATTTree {
  /// The tree as text, one line for each attribute.
  func lines(_ style: Style) -> [String] {
    var title = style.strong(name?.inert ?? "(no name)") + "  \(identifier.uuidString)"
    if let address { title += "  \(address)" }
    return [title] + Self.branch(services.map { $0.lines(style) })
  }

  /// Draws the branches in front of the lines of sub-trees.
  fileprivate static func branch(_ children: [[String]]) -> [String] {
    children.enumerated().flatMap { index, lines in
      let isLast = index == children.count - 1
      return lines.enumerated().map { number, line in
        (number == 0 ? (isLast ? "└─ " : "├─ ") : (isLast ? "   " : "│  ")) + line
      }
    }
  }
}

extension GATTTree: Report {
  static let members: [ReportMember<Self>] = [
    .init("identifier") { .word($0.identifier.uuidString) }, .init("address") { .word($0.address?.description) },
    .init("name") { .text($0.name) }, .init("services") { .parts($0.services) },
  ]
}

/// What is reported of each attribute.
private protocol AttributeOfTree {
  var uuid: String { get }
  static func assignedName(_ uuid: BLEUUID) -> String?
}

extension AttributeOfTree {
  var assignedName: String? { BLEUUID(uuid).flatMap(Self.assignedName) }

  func title(_ kind: String, _ style: Style) -> String {
    "\(kind) \(uuid)" + (assignedName.map { "  " + style.strong($0) } ?? "")
  }
}

extension GATTTree.Service: AttributeOfTree, Report {
  static func assignedName(_ uuid: BLEUUID) -> String? { AssignedNumbers.service(uuid) }

  static let members: [ReportMember<Self>] = [
    .init("uuid") { .word($0.uuid) }, .init("name") { .word($0.assignedName) },
    .init("primary") { .flag($0.isPrimary) },
    .init("included_services") { .texts($0.includedServices) },
    .init("characteristics") { .parts($0.characteristics) },
  ]

  fileprivate func lines(_ style: Style) -> [String] {
    let included = includedServices.map { ["includes \(AssignedNames.labelled(service: $0))"] }
    return [title(isPrimary ? "Service" : "Secondary service", style)]
      + GATTTree.branch(included + characteristics.map { $0.lines(style) })
  }
}

extension GATTTree.Characteristic: AttributeOfTree, Report {
  static func assignedName(_ uuid: BLEUUID) -> String? { AssignedNumbers.characteristic(uuid) }

  static let members: [ReportMember<Self>] = [
    .init("uuid") { .word($0.uuid) }, .init("name") { .word($0.assignedName) },
    .init("properties") { .texts($0.properties) }, .init("value") { .json($0.value.json { ValueText($0).json }) },
    .init("error") { .json($0.value.errorJSON) }, .init("descriptors") { .parts($0.descriptors) },
  ]

  fileprivate func lines(_ style: Style) -> [String] {
    let list = style.faint("[" + properties.joined(separator: ", ") + "]")
    let text = value.text { AssignedValues.describe($0, of: uuid) }
    return ["\(title("Characteristic", style))  \(list)\(text)"] + GATTTree.branch(descriptors.map { [$0.line(style)] })
  }
}

extension GATTTree.Descriptor: AttributeOfTree, Report {
  static func assignedName(_ uuid: BLEUUID) -> String? { AssignedNumbers.descriptor(uuid) }

  static let members: [ReportMember<Self>] = [
    .init("uuid") { .word($0.uuid) }, .init("name") { .word($0.assignedName) },
    .init("value") { .json($0.value.json(\.json)) }, .init("error") { .json($0.value.errorJSON) },
  ]

  fileprivate func line(_ style: Style) -> String { title("Descriptor", style) + value.text(\.description) }
}

extension DescriptorValue {
  fileprivate var description: String {
    switch self {
    case .text(let text): "\"\(text.inert)\""
    case .number(let number): String(number)
    case .octets(let octets): ValueText(Array(octets)).description
    }
  }
}

extension GATTTree.Reading {
  /// What follows the attribute on its line.
  fileprivate func text(_ describe: (Value) -> String) -> String {
    switch self {
    case .value(let value): "  = \(describe(value))"
    case .failed(let error): "  = (\(error.message))"
    case .notReadable: ""
    }
  }

  fileprivate func json(_ describe: (Value) -> JSONValue) -> JSONValue? {
    if case .value(let value) = self { describe(value) } else { nil }
  }

  fileprivate var errorJSON: JSONValue? {
    guard case .failed(let error) = self else { return nil }
    return .object([
      "att_error": error.attributeError.map(JSONValue.integer) ?? .null, "message": .string(error.message),
    ])
  }
}
