/// The PHY of a connection or an advertising event; 0x00 means none (Core, Vol 4 Part E 7.7.65.12).
public struct LEPHY: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let none = Self(rawValue: 0x00)
  public static let le1M = Self(rawValue: 0x01)
  public static let le2M = Self(rawValue: 0x02)
  public static let leCoded = Self(rawValue: 0x03)
}

/// A choice of PHYs (Core, Vol 4 Part E 7.8.48).
public struct LEPHYSet: HCIBitField, WireValue {
  public static let width = 1
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let le1M = Self(rawValue: 1 << 0)
  public static let le2M = Self(rawValue: 1 << 1)
  public static let leCoded = Self(rawValue: 1 << 2)
}

/// Directions for which the host leaves the choice of PHY to the controller (Core, Vol 4 Part E 7.8.48).
public struct LEPHYPreference: HCIBitField, WireValue {
  public static let width = 1
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let noTransmitPreference = Self(rawValue: 1 << 0)
  public static let noReceivePreference = Self(rawValue: 1 << 1)
}

/// Which end of a connection this controller is (Core, Vol 4 Part E 7.7.65.1).
public struct LEConnectionRole: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let central = Self(rawValue: 0x00)
  public static let peripheral = Self(rawValue: 0x01)
}

/// The worst case of the central's sleep clock (Core, Vol 4 Part E 7.7.65.1).
public struct LEClockAccuracy: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let ppm500 = Self(rawValue: 0x00)
  public static let ppm250 = Self(rawValue: 0x01)
  public static let ppm150 = Self(rawValue: 0x02)
  public static let ppm100 = Self(rawValue: 0x03)
  public static let ppm75 = Self(rawValue: 0x04)
  public static let ppm50 = Self(rawValue: 0x05)
  public static let ppm30 = Self(rawValue: 0x06)
  public static let ppm20 = Self(rawValue: 0x07)
}

/// How the channels of a connection are chosen (Core, Vol 4 Part E 7.7.65.20).
public struct LEChannelSelectionAlgorithm: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let algorithm1 = Self(rawValue: 0x00)
  public static let algorithm2 = Self(rawValue: 0x01)
}

/// Whether a peer's identity address is accepted though it has given an IRK (Core, Vol 4 Part E 7.8.77).
public struct LEPrivacyMode: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let network = Self(rawValue: 0x00)
  public static let device = Self(rawValue: 0x01)
}

/// Whether a link is encrypted, and how (Core, Vol 4 Part E 7.7.8). On LE, `on` is AES-CCM.
public struct HCIEncryptionState: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let off = Self(rawValue: 0x00)
  public static let on = Self(rawValue: 0x01)
  public static let aesCCM = Self(rawValue: 0x02)
}

/// Which transmit power is asked for (Core, Vol 4 Part E 7.3.35).
public struct HCITransmitPowerType: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let current = Self(rawValue: 0x00)
  public static let maximum = Self(rawValue: 0x01)
}

/// A version of the Core Specification, as controllers tell it.
public struct HCIVersion: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let v4_0 = Self(rawValue: 0x06)
  public static let v4_1 = Self(rawValue: 0x07)
  public static let v4_2 = Self(rawValue: 0x08)
  public static let v5_0 = Self(rawValue: 0x09)
  public static let v5_1 = Self(rawValue: 0x0A)
  public static let v5_2 = Self(rawValue: 0x0B)
  public static let v5_3 = Self(rawValue: 0x0C)
  public static let v5_4 = Self(rawValue: 0x0D)
  public static let v6_0 = Self(rawValue: 0x0E)
  public static let v6_1 = Self(rawValue: 0x0F)
}

/// The data channels 0 to 36 that may be used, a bit each (Core, Vol 4 Part E 7.8.19).
public struct LEChannelMap: HCIBitField, WireValue {
  public static let width = 5
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let all = Self(rawValue: (1 << 37) - 1)
}
