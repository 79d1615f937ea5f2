import BLECore
import BLEHCI
import Dispatch

/// The current owner of one well-known name, as reported by the bus.
final class BusOwner {
  /// A unique name; `nil`: no owner, or not known yet.
  private(set) var current: String?
  private(set) var isKnown = false
  private var watchers: [WeakReference<OwnerRegistration>] = []
  fileprivate var registration: BusRegistration?

  func set(_ owner: String?) {
    guard !isKnown || owner != current else { return }
    isKnown = true
    current = owner
    watchers.removeAll { $0.object == nil }
    for watcher in watchers { watcher.object?.notify(owner) }
  }

  fileprivate func add(_ registration: OwnerRegistration) {
    watchers.append(WeakReference(registration))
  }
}

private final class OwnerRegistration: BusRegistration {
  private var handler: ((String?) -> Void)?
  init(_ handler: @escaping (String?) -> Void) { self.handler = handler }
  override func end() { handler = nil }
  func notify(_ owner: String?) { handler?(owner) }
}

extension MessageBus {
  private static let daemon = "org.freedesktop.DBus"

  /// Calls `handler` with the unique name that owns `name`, `nil` while it has no owner: once when that is known, and at each change.
  /// Another unique name means another process, or another connection of the same one, even without a `nil` between the two.
  func watchOwner(of name: String, _ handler: @escaping (String?) -> Void) -> BusRegistration {
    let registration = OwnerRegistration(handler)
    let owner = owner(of: name)
    if owner.isKnown {
      let first = LoopBound((owner, registration))
      loop.queue.async {
        first.value.1.notify(first.value.0.current)
        first.value.0.add(first.value.1)
      }
    } else {
      owner.add(registration)
    }
    return registration
  }

  /// The one watch of this name. It lasts as long as the bus: the names are few, and chosen by this process.
  func owner(of name: String) -> BusOwner {
    if let owner = owners[name] { return owner }
    let owner = BusOwner()
    owners[name] = owner
    owner.registration = listen(to: "NameOwnerChanged", of: Self.daemon, at: nil, from: Self.daemon, about: name) {
      [weak owner] signal in
      guard signal.arguments.count == 3, signal.arguments[0].text == name, let new = signal.arguments[2].text else {
        return
      }
      owner?.set(new.isEmpty ? nil : new)
    }
    call("GetNameOwner", of: Self.daemon, at: "/org/freedesktop/DBus", on: Self.daemon, [.string(name)], timeout: nil) {
      [weak owner] result in
      owner?.set((try? result.get())?.first?.text)
    }
    return owner
  }
}
