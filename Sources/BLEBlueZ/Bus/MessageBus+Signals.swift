import BLECore
import BLEHCI
import CSystemBus
import Glibc

/// A signal from the owner of the expected name.
struct BusSignal: Sendable {
  /// The unique name of the sender.
  let sender: String
  let path: String
  let interface: String
  let member: String
  let arguments: [BusValue]
}

extension MessageBus {
  /// Calls `handler` for each signal of `interface`, for as long as the registration is kept.
  ///
  /// Signals of a well-known name are delivered once the bus has reported its owner, which is before the reply to any call that is made
  /// after this one.
  ///
  /// - Parameters:
  ///   - member: `nil`: every signal.
  ///   - path: only signals of this object; `nil`: of all. There is no choice of an object and those below it (`path_namespace`), because
  ///     dbus-daemon does not compare these paths when it removes a rule: it removes the latest that is equal in everything else (seen with
  ///     1.14.10), so that the end of one registration would end the signals of another.
  ///   - subject: only signals whose first argument is this string.
  func listen(
    to member: String?, of interface: String, at path: String?, from sender: String,
    about subject: String? = nil, limits: BusLimits = .standard, _ handler: @escaping (BusSignal) -> Void
  ) -> BusRegistration {
    listen(to: member, of: interface, at: path, from: sender, about: subject) {
      (signal: ReceivedSignal) throws(BusError) in
      let arguments = try MessageReader.arguments(of: signal.message, limits: limits)
      handler(
        BusSignal(
          sender: String(cString: signal.sender), path: String(cString: signal.path),
          interface: String(cString: signal.interface), member: String(cString: signal.member), arguments: arguments))
    }
  }

  /// The same with the undecoded message. `read` decodes it, and throws where that fails.
  func listen(
    to member: String?, of interface: String, at path: String?, from sender: String, about subject: String?,
    _ read: @escaping (ReceivedSignal) throws(BusError) -> Void
  ) -> BusRegistration {
    let owner = Self.isExact(sender) ? nil : self.owner(of: sender)
    let registration = SignalRegistration(self, from: sender, owner, read)
    var rule = "type='signal',sender='\(sender)',interface='\(interface)'"
    if let member { rule += ",member='\(member)'" }
    if let path { rule += ",path='\(path)'" }
    if let subject { rule += ",arg0='\(subject)'" }
    registration.start(rule)
    arm()
    return registration
  }

  /// Whether messages carry this name itself as their sender. Those of a well-known name carry its owner's unique name.
  static func isExact(_ name: String) -> Bool { name.hasPrefix(":") || name == "org.freedesktop.DBus" }

  /// Whether `sender`, the sender of a message, owns `name`.
  func isSender(_ sender: String, of name: String) -> Bool {
    Self.isExact(name) ? sender == name : owners[name]?.current == sender
  }
}

/// A received signal, valid while its callback runs. Its texts are ended by zero.
struct ReceivedSignal {
  let message: OpaquePointer
  let path: UnsafePointer<CChar>
  fileprivate let sender: UnsafePointer<CChar>
  fileprivate let interface: UnsafePointer<CChar>
  fileprivate let member: UnsafePointer<CChar>
}

private final class SignalRegistration: BusRegistration {
  private weak var bus: MessageBus?
  private let sender: String
  private let owner: BusOwner?
  private let read: (ReceivedSignal) throws(BusError) -> Void
  private var slot: BusSlot?

  init(
    _ bus: MessageBus, from sender: String, _ owner: BusOwner?,
    _ read: @escaping (ReceivedSignal) throws(BusError) -> Void
  ) {
    self.bus = bus
    self.sender = sender
    self.owner = owner
    self.read = read
  }

  /// libsystemd closes the connection where the bus refuses the rule: an end that is noticed, rather than signals that never arrive.
  func start(_ rule: String) {
    guard let bus, bus.isOpen else { return }
    let connection = bus.connection
    // libsystemd retains the context: with a strong one the registration would never be released.
    slot = try? BusSlot(WeakReference(self), on: bus.loop.queue, doing: "Listening") { slot, context in
      sd_bus_add_match_async(
        connection, slot, rule,
        { message, context, _ in
          guard let message, let context else { return 0 }
          Unmanaged<WeakReference<SignalRegistration>>.fromOpaque(context).takeUnretainedValue().object?.receive(
            message)
          return 0
        }, nil, context)
    }
  }

  override func end() {
    slot?.end()
    slot = nil
  }

  private func receive(_ message: OpaquePointer) {
    guard slot != nil, let bus, let from = sd_bus_message_get_sender(message), isSender(from),
      let path = sd_bus_message_get_path(message),
      let interface = sd_bus_message_get_interface(message), let member = sd_bus_message_get_member(message)
    else { return }
    do throws(BusError) {
      try read(
        ReceivedSignal(message: message, path: path, sender: from, interface: interface, member: member))
    } catch {
      bus.unreadableSignals += 1
    }
  }

  /// Whether the sender of a message owns the name that is listened to.
  private func isSender(_ name: UnsafePointer<CChar>) -> Bool {
    let expected: String? = if let owner { owner.current } else { sender }
    return expected?.withCString { strcmp($0, name) == 0 } ?? false
  }
}
