/// A fault of a device: when it strikes, and what it does. It reads as a sentence (`description`), and has a form in JSON (`FaultFile`).
///
/// A fault belongs to one device. Its links are all that this device has, and "the device" in its words is this one, "the peer" the one
/// at the other end of a link.
public struct Fault: Hashable, Sendable {
  /// When it strikes.
  public var trigger: FaultTrigger
  /// What it does then.
  public var action: FaultAction

  /// A fault that does `action` when `trigger` says. `mistake` tells whether the two fit.
  public init(_ trigger: FaultTrigger, _ action: FaultAction) {
    self.trigger = trigger
    self.action = action
  }

  /// A fault that strikes at the first occurrence of an event.
  public static func at(_ event: FaultEvent, _ action: FaultAction) -> Fault { .at(event, .nth(1), action) }

  /// A fault that strikes at some occurrences of an event.
  public static func at(_ event: FaultEvent, _ occurrence: FaultOccurrence, _ action: FaultAction) -> Fault {
    Fault(FaultTrigger(event, occurrence), action)
  }
}

/// Who can cause a fault.
public enum FaultOrigin: String, Hashable, Sendable, CaseIterable {
  /// A device that keeps to the specification, with its application, its user or its place: an app has to expect it.
  case correctDevice = "a correct device"
  /// Only a device, or a stack, that violates the specification.
  case brokenDevice = "a broken device"
}
