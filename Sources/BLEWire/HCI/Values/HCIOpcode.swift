import BLECore

/// Names a command: a group and a command of the group (Core, Vol 4 Part E 5.4.1).
public struct HCIOpcode: WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  /// No command: a Command Complete or Command Status with it only tells the number of commands that may be sent.
  public static let none = Self(0x0000)

  static var example: Self { HCIReset.opcode }

  /// OGF, 6 bits; 0x3F is the vendor's.
  public var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }
  /// OCF, 10 bits.
  public var command: UInt16 { rawValue & 0x03FF }

  /// The command's name in the specification, or the number.
  public var description: String { HCIRegistry.commandNames[self] ?? numberText(rawValue, digits: 4) }
}

/// Names an event; an LE meta event is named by 0x3E and its subevent (Core, Vol 4 Part E 5.4.4 and 7.7.65).
public struct HCIEventCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The event code, or `0x3E00` and the subevent code.
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ event: UInt8) { rawValue = UInt16(event) }
  public static func lowEnergy(_ subevent: UInt8) -> Self { Self(rawValue: UInt16(metaEvent) << 8 | UInt16(subevent)) }

  /// The event code that carries the subevents of LE.
  public static let metaEvent: UInt8 = 0x3E

  /// `nil` for an event that is not an LE meta event.
  public var subevent: UInt8? {
    rawValue >> 8 == UInt16(Self.metaEvent) ? UInt8(truncatingIfNeeded: rawValue) : nil
  }
  /// What stands in the event's first octet.
  public var event: UInt8 { subevent == nil ? UInt8(truncatingIfNeeded: rawValue) : Self.metaEvent }

  /// The event's name in the specification, or the number.
  public var description: String { HCIRegistry.eventNames[self] ?? numberText(rawValue, digits: 2) }
}
