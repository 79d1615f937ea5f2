import BLECore
import BLESession
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

  var json: JSONValue {
    .object([
      "identifier": .string(identifier.uuidString),
      "address": .string(orNull: address?.description),
      "name": .string(orNull: name),
      "services": .array(services.map(\.json)),
    ])
  }
}

extension GATTTree.Service {
  private var assignedName: String? { BLEUUID(uuid).flatMap(AssignedNames.name(ofService:)) }

  fileprivate func lines(_ style: Style) -> [String] {
    let kind = isPrimary ? "Service" : "Secondary service"
    let name = assignedName.map { "  " + style.strong($0) } ?? ""
    let included = includedServices.map { ["includes \(AssignedNames.labelled(service: $0))"] }
    return ["\(kind) \(uuid)\(name)"] + GATTTree.branch(included + characteristics.map { $0.lines(style) })
  }

  fileprivate var json: JSONValue {
    .object([
      "uuid": .string(uuid),
      "name": .string(orNull: assignedName),
      "primary": .bool(isPrimary),
      "included_services": .array(includedServices.map(JSONValue.string)),
      "characteristics": .array(characteristics.map(\.json)),
    ])
  }
}

extension GATTTree.Characteristic {
  private var assignedName: String? { BLEUUID(uuid).flatMap(AssignedNames.name(ofCharacteristic:)) }

  fileprivate func lines(_ style: Style) -> [String] {
    let name = assignedName.map { "  " + style.strong($0) } ?? ""
    let text = value.text { AssignedValues.describe($0, of: uuid) }.map { "  = \($0)" } ?? ""
    let line = "Characteristic \(uuid)\(name)  \(style.faint("[" + properties.joined(separator: ", ") + "]"))\(text)"
    return [line] + GATTTree.branch(descriptors.map { [$0.line(style)] })
  }

  fileprivate var json: JSONValue {
    .object([
      "uuid": .string(uuid),
      "name": .string(orNull: assignedName),
      "properties": .array(properties.map(JSONValue.string)),
      "value": value.json { ValueText($0).json },
      "error": value.errorJSON,
      "descriptors": .array(descriptors.map(\.json)),
    ])
  }
}

extension GATTTree.Descriptor {
  private var assignedName: String? { BLEUUID(uuid).flatMap(AssignedNames.name(ofDescriptor:)) }

  fileprivate func line(_ style: Style) -> String {
    let name = assignedName.map { "  " + style.strong($0) } ?? ""
    let text = value.text(\.description).map { "  = \($0)" } ?? ""
    return "Descriptor \(uuid)\(name)\(text)"
  }

  fileprivate var json: JSONValue {
    .object([
      "uuid": .string(uuid),
      "name": .string(orNull: assignedName),
      "value": value.json(\.json),
      "error": value.errorJSON,
    ])
  }
}

extension DescriptorValue {
  fileprivate var description: String {
    switch self {
    case .text(let text): "\"\(text.inert)\""
    case .number(let number): String(number)
    case .octets(let octets): ValueText(Array(octets)).description
    }
  }

  fileprivate var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    case .octets(let octets): ValueText(Array(octets)).json
    }
  }
}

extension GATTTree.Reading {
  fileprivate func text(_ describe: (Value) -> String) -> String? {
    switch self {
    case .value(let value): describe(value)
    case .failed(let error): "(\(error.message))"
    case .notReadable: nil
    }
  }

  fileprivate func json(_ describe: (Value) -> JSONValue) -> JSONValue {
    guard case .value(let value) = self else { return .null }
    return describe(value)
  }

  fileprivate var errorJSON: JSONValue {
    guard case .failed(let error) = self else { return .null }
    return .object([
      "att_error": error.attributeError.map(JSONValue.integer) ?? .null, "message": .string(error.message),
    ])
  }
}
