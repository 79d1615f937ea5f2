import BLEFaults
import Foundation

// What events refer to is passed to the processes of an exploration with them.

extension Fault: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let file = try FaultFile(text: try container.decode(String.self), file: "fault")
    guard let fault = file.faults.first, file.faults.count == 1 else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "one fault is expected")
    }
    self = fault
  }

  /// The text of a file with this fault alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(FaultFile(faults: [self]).json)
  }
}

extension WorldSetting: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let setting = Self.all.first(where: { $0.name == name }) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no setting is called '\(name)'")
    }
    self = setting
  }

  /// The name, which only a setting of `all` is found by.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  /// The name of a setting of `all` in Swift: "trainStation".
  var source: String {
    let words = name.split(separator: " ")
    return words.enumerated().map { $0.offset == 0 ? "\($0.element)" : "\($0.element.capitalized)" }.joined()
  }
}
