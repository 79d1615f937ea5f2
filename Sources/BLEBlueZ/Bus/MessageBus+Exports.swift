import BLECore
import BLEHCI
import CSystemBus
import Dispatch

extension MessageBus {
  static let propertiesInterface = "org.freedesktop.DBus.Properties"
  static let managerInterface = "org.freedesktop.DBus.ObjectManager"

  /// Exports `object` at `path`, for as long as the registration is kept and the object (which is held weakly) exists.
  ///
  /// - Parameter client: the only bus name whose calls are accepted, all others are refused; `nil`: any.
  func export(
    _ object: any ExportedObject, at path: String, for client: String? = nil
  ) throws(BusError) -> BusRegistration {
    let registration = try register(ExportRegistration(self, path, client, object, isRoot: false))
    if root(above: path) != nil {
      emit(
        "InterfacesAdded", of: Self.managerInterface, at: root(above: path) ?? path,
        [.objectPath(path), interfaces(of: object)])
    }
    return registration
  }

  /// Answers at `path` which objects are exported below it (`org.freedesktop.DBus.ObjectManager`), and emits a signal for each one that is
  /// exported or ended later.
  func exportRoot(at path: String, for client: String? = nil) throws(BusError) -> BusRegistration {
    try register(ExportRegistration(self, path, client, nil, isRoot: true))
  }

  private func register(_ registration: ExportRegistration) throws(BusError) -> BusRegistration {
    guard isOpen else { throw BusError(BusError.disconnected, "The message bus is disconnected.") }
    guard exports[registration.path]?.object == nil else {
      throw BusError("org.freedesktop.DBus.Error.ObjectPathInUse", "\(registration.path) is exported already.")
    }
    // Starts to look up the owner of the client's name, which is needed when the first call arrives.
    if let client = registration.client, !Self.isExact(client) { _ = owner(of: client) }
    try registration.start()
    exports[registration.path] = WeakReference(registration)
    return registration
  }

  /// Emits a signal of an object of this process. One that can't be sent is omitted: then the connection has ended, or the values do not
  /// match the signal's type.
  ///
  /// - Parameter destination: the only receiver; `nil`: all listeners.
  func emit(
    _ member: String, of interface: String, at path: String, _ arguments: [BusValue], to destination: String? = nil
  ) {
    guard isOpen else { return }
    var message: OpaquePointer?
    guard sd_bus_message_new_signal(connection, &message, path, interface, member) >= 0, let message else { return }
    defer { sd_bus_message_unref(message) }
    if let destination, sd_bus_message_set_destination(message, destination) < 0 { return }
    guard (try? MessageWriter(message: message).append(arguments)) != nil else { return }
    try? send(message)
  }

  /// Emits `PropertiesChanged` for an exported object.
  func emitChanges(of interface: String, at path: String, _ values: [String: BusValue]) {
    emit(
      "PropertiesChanged", of: Self.propertiesInterface, at: path, [.string(interface), .options(values), .texts([])])
  }

  /// The exported root above an object.
  fileprivate func root(above path: String) -> String? {
    var parent = path
    while let slash = parent.lastIndex(of: "/"), parent != "/" {
      parent = slash == parent.startIndex ? "/" : String(parent[..<slash])
      if exports[parent]?.object?.isRoot == true { return parent }
    }
    return nil
  }

  fileprivate func interfaces(of object: any ExportedObject) -> BusValue {
    var entries: [BusValue: BusValue] = [.string(Self.propertiesInterface): .options([:])]
    for interface in object.interfaces {
      entries[.string(interface)] = .options(object.properties(of: interface))
    }
    return .dictionary(entries, key: "s", value: "a{sv}")
  }

  fileprivate func objects(below root: String) -> BusValue {
    var entries: [BusValue: BusValue] = [:]
    for (path, export) in exports {
      guard let object = export.object?.object, self.root(above: path) == root else { continue }
      entries[.objectPath(path)] = interfaces(of: object)
    }
    return .dictionary(entries, key: "o", value: "a{sa{sv}}")
  }

  fileprivate func forget(_ path: String, _ interfaces: [String]) {
    if exports[path]?.object == nil { exports[path] = nil }
    guard let root = root(above: path), !interfaces.isEmpty else { return }
    emit("InterfacesRemoved", of: Self.managerInterface, at: root, [.objectPath(path), .texts(interfaces)])
  }
}

/// One exported path.
final class ExportRegistration: BusRegistration {
  let path: String
  let client: String?
  let isRoot: Bool
  private(set) weak var object: (any ExportedObject)?
  private let interfaces: [String]
  private weak var bus: MessageBus?
  private var slot: BusSlot?

  fileprivate init(
    _ bus: MessageBus, _ path: String, _ client: String?, _ object: (any ExportedObject)?, isRoot: Bool
  ) {
    self.bus = bus
    self.path = path
    self.client = client
    self.object = object
    self.isRoot = isRoot
    interfaces = object?.interfaces ?? []
  }

  deinit {
    guard slot != nil, let bus else { return }
    bus.loop.queue.onLoop((bus, path, interfaces)) { bus, path, interfaces in bus.forget(path, interfaces) }
  }

  fileprivate func start() throws(BusError) {
    guard let bus else { return }
    let connection = bus.connection
    let path = path
    slot = try BusSlot(WeakReference(self), on: bus.loop.queue, doing: "Exporting \(path)") { slot, context in
      sd_bus_add_object(
        connection, slot, path,
        { message, context, _ in
          guard let message, let context else { return 0 }
          return Unmanaged<WeakReference<ExportRegistration>>.fromOpaque(context).takeUnretainedValue().object?.receive(
            message)
            ?? 0
        }, context)
    }
  }

  override func end() {
    guard slot != nil else { return }
    slot = nil
    guard let bus else { return }
    bus.exports[path] = nil
    bus.forget(path, interfaces)
  }

  /// - Returns: 1 where the message was handled; libsystemd answers others with an error.
  private func receive(_ message: OpaquePointer) -> Int32 {
    guard slot != nil, let bus, let head = MessageHead(message) else { return 0 }
    if let client, !bus.isSender(head.sender, of: client) {
      BusRequest(bus, message, head, []).refuse(BusError(BusError.accessDenied, "This object is for \(client) only."))
      return 1
    }
    let arguments: [BusValue]
    do throws(BusError) {
      arguments = try MessageReader.arguments(of: message, limits: .standard)
    } catch {
      BusRequest(bus, message, head, []).refuse(error)
      return 1
    }
    let request = BusRequest(bus, message, head, arguments)
    if isRoot, head.interface == MessageBus.managerInterface, head.member == "GetManagedObjects" {
      request.answer([bus.objects(below: path)])
    } else if let object, head.interface == MessageBus.propertiesInterface {
      answerProperties(of: object, request)
    } else if let object, interfaces.contains(head.interface) {
      object.handle(request)
    } else {
      request.refuse(BusError(BusError.unknownMethod, "There is no \(head.interface).\(head.member) at \(path)."))
    }
    return 1
  }

  private func answerProperties(of object: any ExportedObject, _ request: BusRequest) {
    guard let interface = request.arguments.first?.text else {
      return request.refuse(BusError(BusError.invalidArguments, "The name of an interface is missing."))
    }
    guard interfaces.contains(interface) else {
      return request.refuse(BusError(BusError.unknownInterface, "There is no \(interface) at \(path)."))
    }
    switch request.member {
    case "GetAll": request.answer([.options(object.properties(of: interface))])
    case "Get":
      guard let name = request.arguments.dropFirst().first?.text,
        let value = object.properties(of: interface)[name]
      else { return request.refuse(BusError(BusError.unknownProperty, "There is no such property.")) }
      request.answer([.variant(value.content)])
    case "Set":
      if request.arguments.count == 3, let name = request.arguments[1].text,
        object.set(name, of: interface, to: request.arguments[2].content)
      {
        return request.answer()
      }
      request.refuse(BusError("org.freedesktop.DBus.Error.PropertyReadOnly", "It can't be set."))
    default: request.refuse(BusError(BusError.unknownMethod, "There is no \(request.member)."))
    }
  }
}
