import BLECore

/// A value that the server sends without a request, and that is not acknowledged (Core, Vol 3 Part F 3.4.7.1).
public struct ATTHandleValueNotification: ATTHandleAndValue {
  public static let opcode = ATTOpcode.handleValueNotification

  public var attributeHandle: AttributeHandle
  public var attributeValue: ArraySlice<UInt8>

  public init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>) {
    self.attributeHandle = attributeHandle
    self.attributeValue = attributeValue
  }
}

/// A value that the server sends without a request, and that the client confirms (Core, Vol 3 Part F 3.4.7.2).
public struct ATTHandleValueIndication: ATTHandleAndValue {
  public static let opcode = ATTOpcode.handleValueIndication

  public var attributeHandle: AttributeHandle
  public var attributeValue: ArraySlice<UInt8>

  public init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>) {
    self.attributeHandle = attributeHandle
    self.attributeValue = attributeValue
  }
}

/// An indication was received (Core, Vol 3 Part F 3.4.7.3).
public struct ATTHandleValueConfirmation: ATTPacket, EmptyPacket {
  public static let opcode = ATTOpcode.handleValueConfirmation
  public init() {}
}

/// Several values that the server sends without a request (Core, Vol 3 Part F 3.4.7.4).
public struct ATTMultipleHandleValueNotification: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.multipleHandleValueNotification

  /// One attribute and its value.
  public struct HandleValueTuple: Equatable, Sendable {
    public let attributeHandle: AttributeHandle
    public let attributeValue: ArraySlice<UInt8>

    public init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>) {
      self.attributeHandle = attributeHandle
      self.attributeValue = attributeValue
    }
  }

  /// The list as encoded: handle, length and value of each tuple.
  public var handleLengthValueTupleList: ArraySlice<UInt8>

  public init(handleLengthValueTupleList: ArraySlice<UInt8>) {
    self.handleLengthValueTupleList = handleLengthValueTupleList
  }

  public init(_ tuples: [HandleValueTuple]) {
    var writer = ByteWriter()
    for tuple in tuples {
      writer.append(tuple.attributeHandle)
      writer.append(UInt16(clamping: tuple.attributeValue.count))
      writer.append(contentsOf: tuple.attributeValue)
    }
    self.init(handleLengthValueTupleList: writer.octets[...])
  }

  static let layout = Layout(Self.init, Field("Handle Length Value Tuple List", \.handleLengthValueTupleList, .rest))

  /// The tuples.
  ///
  /// - Throws: if a tuple is incomplete or a length exceeds the rest; then no tuple is returned.
  public func tuples() throws(DecodeError) -> [HandleValueTuple] {
    var tuples: [HandleValueTuple] = []
    var reader = ByteReader(handleLengthValueTupleList, layer: "ATT")
    while !reader.isAtEnd {
      let handle = try reader.attributeHandle("Attribute Handle")
      let length = Int(try reader.uint16("Value Length"))
      let value = try reader.octets(length, "Attribute Value")
      tuples.append(HandleValueTuple(attributeHandle: handle, attributeValue: value))
    }
    return tuples
  }
}
