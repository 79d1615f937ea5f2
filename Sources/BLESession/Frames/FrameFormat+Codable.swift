import Foundation

/// How a format stands in a file: octets as hexadecimal text, everything but the fields optional.
extension FrameFormat: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, fields, lengthCounts, check, end, maximumPayload
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func octets(_ key: CodingKeys) throws -> Data {
      guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return Data() }
      do {
        return try Hexadecimal.decode(text)
      } catch {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: error.localizedDescription)
      }
    }
    do {
      try self.init(
        start: octets(.start),
        fields: container.decode([Field].self, forKey: .fields),
        lengthCounts: container.decodeIfPresent(LengthCounts.self, forKey: .lengthCounts) ?? .payload,
        check: container.decodeIfPresent(FrameCheck.self, forKey: .check),
        end: octets(.end),
        maximumPayload: container.decodeIfPresent(Int.self, forKey: .maximumPayload) ?? 512)
    } catch let error as FrameFormatError {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: error.localizedDescription, underlyingError: error))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Hexadecimal.encode(start), forKey: .start)
    try container.encode(fields, forKey: .fields)
    try container.encode(lengthCounts, forKey: .lengthCounts)
    try container.encodeIfPresent(check, forKey: .check)
    try container.encode(Hexadecimal.encode(end), forKey: .end)
    try container.encode(maximumPayload, forKey: .maximumPayload)
  }
}

extension FrameFormat.Field: Codable {
  private enum CodingKeys: String, CodingKey {
    case meaning, width, order
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Meaning.self, forKey: .meaning),
      width: try container.decodeIfPresent(Int.self, forKey: .width) ?? 1,
      order: try container.decodeIfPresent(ByteOrder.self, forKey: .order) ?? .littleEndian)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(meaning, forKey: .meaning)
    try container.encode(width, forKey: .width)
    try container.encode(order, forKey: .order)
  }
}

extension FrameCheck: Codable {
  private enum CodingKeys: String, CodingKey {
    case algorithm, covers, order
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Algorithm.self, forKey: .algorithm),
      covers: try container.decodeIfPresent(Coverage.self, forKey: .covers) ?? .fieldsAndPayload,
      order: try container.decodeIfPresent(ByteOrder.self, forKey: .order) ?? .littleEndian)
  }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(algorithm, forKey: .algorithm)
    try container.encode(covers, forKey: .covers)
    try container.encode(order, forKey: .order)
  }
}
