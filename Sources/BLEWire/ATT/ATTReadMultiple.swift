import BLECore

/// Reads several attributes whose lengths the client knows (Core, Vol 3 Part F 3.4.4.7).
public struct ATTReadMultipleRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readMultipleRequest

  /// Two or more; not validated.
  public var setOfHandles: [AttributeHandle]

  public init(setOfHandles: [AttributeHandle]) { self.setOfHandles = setOfHandles }

  static let layout = Layout(Self.init, Field("Set Of Handles", \.setOfHandles, .untilEnd()))
}

/// The values one after the other, cut at ATT_MTU - 1 octets (Core, Vol 3 Part F 3.4.4.8).
public struct ATTReadMultipleResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readMultipleResponse

  public var setOfValues: ArraySlice<UInt8>

  public init(setOfValues: ArraySlice<UInt8>) { self.setOfValues = setOfValues }

  static let layout = Layout(Self.init, Field("Set Of Values", \.setOfValues, .rest))
}

/// Reads several attributes of any length (Core, Vol 3 Part F 3.4.4.11).
public struct ATTReadMultipleVariableRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readMultipleVariableRequest

  /// Two or more; not validated.
  public var setOfHandles: [AttributeHandle]

  public init(setOfHandles: [AttributeHandle]) { self.setOfHandles = setOfHandles }

  static let layout = Layout(Self.init, Field("Set Of Handles", \.setOfHandles, .untilEnd()))
}

/// The values, each with its length in front (Core, Vol 3 Part F 3.4.4.12).
public struct ATTReadMultipleVariableResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readMultipleVariableResponse

  /// One value. Where the PDU was full, the last one is cut: `attributeValue` is shorter than `valueLength`.
  public struct LengthValueTuple: Equatable, Sendable {
    /// Octets of the whole value.
    public let valueLength: Int
    public let attributeValue: ArraySlice<UInt8>
    public var isComplete: Bool { attributeValue.count == valueLength }
  }

  /// The list as encoded.
  public var lengthValueTupleList: ArraySlice<UInt8>

  public init(lengthValueTupleList: ArraySlice<UInt8>) { self.lengthValueTupleList = lengthValueTupleList }

  /// The list of these values, cut at `limit` octets.
  public init(values: some Sequence<ArraySlice<UInt8>>, limit: Int) {
    var writer = ByteWriter()
    for value in values {
      if writer.count >= limit { break }
      writer.append(UInt16(clamping: value.count))
      writer.append(contentsOf: value)
    }
    self.init(lengthValueTupleList: writer.octets.prefix(limit))
  }

  static let layout = Layout(Self.init, Field("Length Value Tuple List", \.lengthValueTupleList, .rest))

  /// The tuples; only the last may be cut. A single octet at the end is half a length, and is ignored.
  public func tuples() -> [LengthValueTuple] {
    var tuples: [LengthValueTuple] = []
    var left = lengthValueTupleList
    while left.count >= 2 {
      let length = Int(left.uint16(at: 0))
      let value = left.dropFirst(2).prefix(length)
      tuples.append(LengthValueTuple(valueLength: length, attributeValue: value))
      left = left.dropFirst(2 + value.count)
    }
    return tuples
  }

  public static var examples: [Self] {
    [
      Self(values: [[1, 2, 3], [], [4]], limit: 22),
      Self(values: [[1, 2, 3], [4, 5, 6]], limit: 8),
    ]
  }
}
