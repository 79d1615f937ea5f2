// UUIDs of descriptors, as texts for `CBUUID(string:)`.

/// Characteristic Extended Properties; the value is an `NSNumber`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"
/// Characteristic User Description; the value is a `String`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"
/// Client Characteristic Configuration; the value is an `NSNumber`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"
/// Server Characteristic Configuration; the value is an `NSNumber`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"
/// Characteristic Presentation Format; the value is `Data`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBUUIDCharacteristicFormatString: String = "2904"
/// Characteristic Aggregate Format; the value is `Data`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"
/// Valid Range; the value is `Data`.
///
/// Availability: iOS 10.0, macOS 10.13.
public let CBUUIDCharacteristicValidRangeString: String = "2906"
/// Observation Schedule; the value is `Data`.
///
/// Availability: iOS 18.0, macOS 15.0.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"
/// By convention a characteristic with this UUID holds the PSM of an L2CAP channel, two octets, least significant first.
///
/// Availability: iOS 11.0, macOS 10.13.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
