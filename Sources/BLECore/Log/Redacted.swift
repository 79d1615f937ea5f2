/// A value that must not get into a log: it prints as `<redacted>`, unless its type has a description of its own, and shows no contents,
/// also inside another value, to a debugger or to `dump`.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
