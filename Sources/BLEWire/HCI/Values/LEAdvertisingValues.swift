/// Which address this device shows (Core, Vol 4 Part E 7.8.5).
public struct LEOwnAddressType: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let `public` = Self(rawValue: 0x00)
  public static let random = Self(rawValue: 0x01)
  /// A resolvable private address; the public one where the resolving list has no entry for the peer.
  public static let resolvableOrPublic = Self(rawValue: 0x02)
  /// A resolvable private address; the random one where the resolving list has no entry for the peer.
  public static let resolvableOrRandom = Self(rawValue: 0x03)
}

/// What a legacy advertiser sends (Core, Vol 4 Part E 7.8.5).
public struct LEAdvertisingType: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// ADV_IND: connectable, scannable, undirected.
  public static let connectable = Self(rawValue: 0x00)
  /// ADV_DIRECT_IND as fast as possible, for 1.28 s.
  public static let directedHighDuty = Self(rawValue: 0x01)
  /// ADV_SCAN_IND.
  public static let scannable = Self(rawValue: 0x02)
  /// ADV_NONCONN_IND.
  public static let nonConnectable = Self(rawValue: 0x03)
  /// ADV_DIRECT_IND at the advertising interval.
  public static let directed = Self(rawValue: 0x04)
}

/// What a legacy scanner heard (Core, Vol 4 Part E 7.7.65.2).
public struct LEAdvertisingReportType: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// ADV_IND.
  public static let connectable = Self(rawValue: 0x00)
  /// ADV_DIRECT_IND.
  public static let directed = Self(rawValue: 0x01)
  /// ADV_SCAN_IND.
  public static let scannable = Self(rawValue: 0x02)
  /// ADV_NONCONN_IND.
  public static let nonConnectable = Self(rawValue: 0x03)
  /// SCAN_RSP.
  public static let scanResponse = Self(rawValue: 0x04)
}

/// Whose requests an advertiser answers (Core, Vol 4 Part E 7.8.5).
public struct LEAdvertisingFilterPolicy: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let all = Self(rawValue: 0x00)
  public static let scanFromListOnly = Self(rawValue: 0x01)
  public static let connectFromListOnly = Self(rawValue: 0x02)
  public static let listOnly = Self(rawValue: 0x03)
}

/// The advertising channels 37, 38 and 39, a bit each (Core, Vol 4 Part E 7.8.5).
public struct LEPrimaryChannels: HCIBitField, WireValue {
  public static let width = 1
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let channel37 = Self(rawValue: 1 << 0)
  public static let channel38 = Self(rawValue: 1 << 1)
  public static let channel39 = Self(rawValue: 1 << 2)
  public static let all: Self = [.channel37, .channel38, .channel39]
}

/// What an extended advertiser sends (Core, Vol 4 Part E 7.8.53).
public struct LEAdvertisingProperties: HCIBitField, WireValue {
  public static let width = 2
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let connectable = Self(rawValue: 1 << 0)
  public static let scannable = Self(rawValue: 1 << 1)
  public static let directed = Self(rawValue: 1 << 2)
  public static let highDutyCycle = Self(rawValue: 1 << 3)
  /// With legacy PDUs, which every scanner understands.
  public static let legacy = Self(rawValue: 1 << 4)
  public static let anonymous = Self(rawValue: 1 << 5)
  public static let includesTransmitPower = Self(rawValue: 1 << 6)
}

/// What an extended scanner heard (Core, Vol 4 Part E 7.7.65.13).
public struct LEExtendedReportType: HCIBitField, WireValue {
  public static let width = 2
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let connectable = Self(rawValue: 1 << 0)
  public static let scannable = Self(rawValue: 1 << 1)
  public static let directed = Self(rawValue: 1 << 2)
  public static let scanResponse = Self(rawValue: 1 << 3)
  public static let legacy = Self(rawValue: 1 << 4)
  /// More fragments of the data follow.
  public static let incomplete = Self(rawValue: 1 << 5)
  /// The data is truncated: no more fragments follow.
  public static let truncated = Self(rawValue: 1 << 6)
}

/// Which part of advertising data a command carries (Core, Vol 4 Part E 7.8.54).
public struct LEDataOperation: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let intermediateFragment = Self(rawValue: 0x00)
  public static let firstFragment = Self(rawValue: 0x01)
  public static let lastFragment = Self(rawValue: 0x02)
  public static let complete = Self(rawValue: 0x03)
  /// The data stays, only its DID is new.
  public static let unchanged = Self(rawValue: 0x04)
}

/// Whether the controller may cut advertising data (Core, Vol 4 Part E 7.8.54).
public struct LEFragmentPreference: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let mayFragment = Self(rawValue: 0x00)
  public static let shouldNotFragment = Self(rawValue: 0x01)
}

/// Whether a scanner asks for scan responses (Core, Vol 4 Part E 7.8.10).
public struct LEScanType: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let passive = Self(rawValue: 0x00)
  public static let active = Self(rawValue: 0x01)
}

/// Which advertisers a scanner reports (Core, Vol 4 Part E 7.8.10).
public struct LEScanFilterPolicy: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let all = Self(rawValue: 0x00)
  public static let listOnly = Self(rawValue: 0x01)
  public static let allAndUnresolvedDirected = Self(rawValue: 0x02)
  public static let listAndUnresolvedDirected = Self(rawValue: 0x03)
}

/// Whether a scanner reports an advertiser each time (Core, Vol 4 Part E 7.8.65).
public struct LEDuplicateFilter: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let reportAll = Self(rawValue: 0x00)
  public static let filter = Self(rawValue: 0x01)
  public static let filterEachPeriod = Self(rawValue: 0x02)
}

/// Whom a connection is made to (Core, Vol 4 Part E 7.8.12).
public struct LEInitiatorFilterPolicy: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let peerAddress = Self(rawValue: 0x00)
  public static let acceptList = Self(rawValue: 0x01)
}

/// Names an advertising set, 0x00 to 0xEF (Core, Vol 4 Part E 7.8.53).
public struct LEAdvertisingHandle: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// In reports: no periodic advertising, no set.
  public static let none = Self(rawValue: 0xFF)
}
