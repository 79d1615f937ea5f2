/// How the distance to a peer is to be measured. No supported controller can: a session ends at once with `CBError.operationNotSupported`.
///
/// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
open class CBChannelSoundingSessionConfiguration: NSObject {
  /// Which side starts each measurement.
  public enum Role: Int, Sendable {
    /// This side.
    case initiator
  }

  /// A session in which this side has the given role.
  public init(role: Role) { super.init() }
}

/// The result of one distance measurement.
///
/// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
open class CBChannelSoundingProcedureResults: NSObject {
  /// In metres; negative if there is no valid measurement.
  open var distance: Double { -1 }
}
