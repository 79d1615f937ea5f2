internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// Tells the observer of an adapter what happens between one manager, with its peripherals, and the program.
///
/// A manager without an observer has none, so that `watch?.call(...)` computes no argument.
final class ProgramWatch: Sendable {
  private let observer: any ProgramObserver
  private let adapter: any Adapter
  private let manager: ProgramManager
  /// The delegate methods that have not returned, outermost first.
  private let open = Mutex<[String]>([])

  /// `nil` if nothing observes the programs on `adapter`.
  static func make(_ role: ProgramManager.Role, on adapter: any Adapter) -> ProgramWatch? {
    guard let observer = adapter.programObserver, let number = observer.programMakesManager(role) else { return nil }
    return ProgramWatch(observer, ProgramManager(role: role, number: number), on: adapter)
  }

  private init(_ observer: any ProgramObserver, _ manager: ProgramManager, on adapter: any Adapter) {
    self.observer = observer
    self.adapter = adapter
    self.manager = manager
  }

  /// A call of the program. `name` is the calling method's.
  func call(_ subject: ProgramSubject = ProgramSubject(), name: String = #function) {
    tell(.call, name, subject)
  }

  /// What a call has returned.
  func result(_ subject: ProgramSubject, of name: String) { tell(.result, name, subject) }

  /// A delegate method is called next.
  func callback(_ name: String, to delegate: AnyObject?, _ subject: ProgramSubject = ProgramSubject()) {
    if delegate == nil { return tell(.undelivered, name, subject) }
    open.withLock { $0.append(name) }
    tell(.callback, name, subject)
  }

  /// The delegate methods that were called for one event have returned.
  func returned() {
    let names = open.withLock { open in
      defer { open = [] }
      return open
    }
    for name in names.reversed() { tell(.returned, name, ProgramSubject()) }
  }

  /// The delegate does not implement a method.
  func unhandled(_ name: String, _ subject: ProgramSubject = ProgramSubject()) { tell(.unhandled, name, subject) }

  func misuse(_ misuse: ProgramMisuse, _ subject: ProgramSubject = ProgramSubject(), in name: String) {
    tell(.misuse(misuse), name, subject)
  }

  private func tell(_ kind: ProgramEvent.Kind, _ name: String, _ subject: ProgramSubject) {
    var event = ProgramEvent(time: adapter.loop.now, manager: manager, kind: kind, name: name)
    event.peer = subject.peer
    event.address = event.peer.flatMap { adapter.knownPeers([$0]).first?.address }
    event.attribute = subject.attribute.flatMap { ProgramAttribute($0) }
    event.octets = subject.octets
    event.capacity = subject.capacity
    event.transaction = subject.transaction
    event.error = subject.error.map { "\($0)" }
    event.arguments = subject.arguments
    observer.program(did: event)
  }
}

/// What a call or a callback is about.
struct ProgramSubject {
  var peer: PeerIdentifier?
  var attribute: CBAttribute?
  var octets: Int?
  var capacity: Int?
  var transaction: TransactionIdentifier?
  var error: (any Error)?
  var arguments: [ProgramArgument] = []
}

extension ProgramAttribute {
  /// `nil` for an attribute that a program has derived itself.
  fileprivate init?(_ attribute: CBAttribute) {
    switch attribute {
    case let characteristic as CBCharacteristic:
      let subscribers = (characteristic as? CBMutableCharacteristic)?.hasSubscribers ?? false
      self.init(
        uuid: characteristic.uuid.value, handle: characteristic.remote?.value,
        properties: characteristic.properties.rawValue, isNotifying: subscribers || characteristic.isNotifying)
    case let service as CBService:
      self.init(uuid: service.uuid.value, handle: service.remote?.handles.lowerBound)
    case let descriptor as CBDescriptor:
      self.init(uuid: descriptor.uuid.value, handle: descriptor.remote?.handle)
    default: return nil
    }
  }
}

extension ProgramArgument {
  /// The types of a filter; "all" for none.
  static func services(_ label: String, _ uuids: [CBUUID]?) -> ProgramArgument {
    ProgramArgument(label, uuids.flatMap { $0.isEmpty ? nil : $0.map(\.uuidString).joined(separator: ", ") } ?? "all")
  }

  /// The entries of a dictionary of options or of advertising data, sorted by their keys.
  static func entries(_ dictionary: [String: Any]?) -> [ProgramArgument] {
    (dictionary ?? [:]).sorted { $0.key < $1.key }.map { ProgramArgument($0.key, text($0.value)) }
  }

  /// What was discovered, with its handles; "filtered" in front if a filter was given.
  static func found(_ attributes: [CBAttribute]?, isFiltered: Bool) -> ProgramArgument {
    let all = (attributes ?? []).compactMap { ProgramAttribute($0) }
    let text = all.map { "\($0.uuid)@\($0.handle.map { "\($0)" } ?? "")" }.joined(separator: ", ")
    return ProgramArgument(isFiltered ? "found" : "found, all", text)
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let text as String: text
    case let uuids as [CBUUID]: uuids.map(\.uuidString).joined(separator: ", ")
    case let data as Data: data.hexadecimal
    case let flag as Bool: flag ? "true" : "false"
    case is any Adapter: "an adapter"
    default: String("\(value)".prefix(80))
    }
  }
}
