/// The permitted uses of a characteristic. The lower eight bits are those of its declaration (Core, Vol 3 Part G 3.3.1.1).
///
/// Availability: iOS 5.0, macOS 10.7.
public struct CBCharacteristicProperties: OptionSet, Sendable, BitwiseCopyable {
  /// The value in C.
  public let rawValue: UInt
  /// Accepts every value.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value may be broadcast in advertising data. Not for local characteristics.
  public static var broadcast: Self { Self(rawValue: 0x01) }
  /// The value may be read.
  public static var read: Self { Self(rawValue: 0x02) }
  /// The value may be written without a response.
  public static var writeWithoutResponse: Self { Self(rawValue: 0x04) }
  /// The value may be written with a response.
  public static var write: Self { Self(rawValue: 0x08) }
  /// The value may be notified: without acknowledgement.
  public static var notify: Self { Self(rawValue: 0x10) }
  /// The value may be indicated: with acknowledgement.
  public static var indicate: Self { Self(rawValue: 0x20) }
  /// The value may be written with a signature.
  public static var authenticatedSignedWrites: Self { Self(rawValue: 0x40) }
  /// A descriptor holds further properties. Not for local characteristics.
  public static var extendedProperties: Self { Self(rawValue: 0x80) }
  /// Notifications require an encrypted link. For local characteristics.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var notifyEncryptionRequired: Self { Self(rawValue: 0x100) }
  /// Indications require an encrypted link. For local characteristics.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var indicateEncryptionRequired: Self { Self(rawValue: 0x200) }
}

/// The permissions to read and write the value of a local characteristic.
///
/// Availability: iOS 6.0, macOS 10.9.
public struct CBAttributePermissions: OptionSet, Sendable, BitwiseCopyable {
  /// The value in C.
  public let rawValue: UInt
  /// Accepts every value.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Every central may read the value.
  public static var readable: Self { Self(rawValue: 0x01) }
  /// Every central may write the value.
  public static var writeable: Self { Self(rawValue: 0x02) }
  /// Centrals on an encrypted link may read the value.
  public static var readEncryptionRequired: Self { Self(rawValue: 0x04) }
  /// Centrals on an encrypted link may write the value.
  public static var writeEncryptionRequired: Self { Self(rawValue: 0x08) }
}
