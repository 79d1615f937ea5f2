/// Identifies an attribute in a GATT database (Core, Vol 3 Part F 3.2.2). 0x0000 is invalid.
public struct AttributeHandle: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public static let first = AttributeHandle(0x0001)
  public static let last = AttributeHandle(0xFFFF)

  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  /// The handle after this one; `nil` after the last.
  public var next: AttributeHandle? { self == .last ? nil : AttributeHandle(rawValue + 1) }
  public var description: String { numberText(rawValue, digits: 4) }
}

/// Identifies a link between host and controller (Core, Vol 4 Part E 5.3), 0x0000 to 0x0EFF.
public struct ConnectionHandle: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { numberText(rawValue, digits: 4) }
}

/// Identifies an L2CAP channel on one link (Core, Vol 3 Part A 2.1).
public struct ChannelIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public static let attributeProtocol = ChannelIdentifier(0x0004)
  public static let lowEnergySignaling = ChannelIdentifier(0x0005)
  public static let securityManager = ChannelIdentifier(0x0006)
  public var description: String { numberText(rawValue, digits: 4) }
}

/// A protocol/service multiplexer (PSM): the number with which an L2CAP channel is opened (Core, Vol 3 Part A 4.22).
public struct ProtocolServiceMultiplexer: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }
  public var description: String { numberText(rawValue, digits: 4) }
}

/// `0x` and at least `digits` upper-case hexadecimal digits.
public func numberText(_ value: some BinaryInteger, digits: Int) -> String {
  let text = String(value, radix: 16, uppercase: true)
  return "0x" + String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
}

extension ByteReader {
  public mutating func attributeHandle(_ field: StaticString) throws(DecodeError) -> AttributeHandle {
    AttributeHandle(try uint16(field))
  }
}

extension ByteWriter {
  public mutating func append(_ handle: AttributeHandle) { append(handle.rawValue) }
}
