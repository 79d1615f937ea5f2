/// How distance to a peer is to be measured. No controller here can: a session ends at once with
/// `CBError.operationNotSupported`.
open class CBChannelSoundingSessionConfiguration: NSObject {
  /// Which side starts each measurement.
  public enum Role: Int, Sendable {
    case initiator
  }

  public init(role: Role) { super.init() }
}

/// What one measurement of distance found.
open class CBChannelSoundingProcedureResults: NSObject {
  /// In metres; negative where there is no valid measurement.
  open var distance: Double { -1 }
}
