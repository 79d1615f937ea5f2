import BLECore
import BLEHCI
import CSystemBus
import Dispatch

/// An object of this process that other programs can call.
protocol ExportedObject: AnyObject {
  /// Its own interfaces; the bus adds the standard ones (properties).
  var interfaces: [String] { get }
  /// The properties that can be read.
  func properties(of interface: String) -> [String: BusValue]
  /// Sets a property. Returns false where it can't be set.
  func set(_ property: String, of interface: String, to value: BusValue) -> Bool
  /// Called for a method call. Answer the request now or later: one that is released without an answer fails.
  func handle(_ request: BusRequest)
}

extension ExportedObject {
  func properties(of interface: String) -> [String: BusValue] { [:] }
  func set(_ property: String, of interface: String, to value: BusValue) -> Bool { false }
}

/// An incoming method call, to be answered once.
final class BusRequest {
  let interface: String
  let member: String
  /// The unique name of the caller.
  let sender: String
  let path: String
  let arguments: [BusValue]
  private weak var bus: MessageBus?
  private var message: OpaquePointer?
  private let queue: DispatchQueue

  init(_ bus: MessageBus, _ message: OpaquePointer, _ head: MessageHead, _ arguments: [BusValue]) {
    self.bus = bus
    self.message = sd_bus_message_ref(message)
    queue = bus.loop.queue
    interface = head.interface
    member = head.member
    sender = head.sender
    path = head.path
    self.arguments = arguments
  }

  deinit {
    guard let message else { return }
    queue.onLoop((bus, message)) { bus, message in
      let error = BusError(BusError.failed, "The request was dropped.")
      bus?.answer(message, .failure(error))
      sd_bus_message_unref(message)
    }
  }

  /// Whether it has not been answered yet.
  var isPending: Bool { message != nil }

  /// Answers with the values that the method returns. A second answer does nothing.
  func answer(_ values: [BusValue] = []) { finish(.success(values)) }

  func refuse(_ error: BusError) { finish(.failure(error)) }

  private func finish(_ result: Result<[BusValue], BusError>) {
    guard let message else { return }
    self.message = nil
    bus?.answer(message, result)
    sd_bus_message_unref(message)
  }
}

/// The sender and the target of a message.
struct MessageHead {
  let sender: String
  let path: String
  let interface: String
  let member: String

  /// `nil` where one of the fields is missing.
  init?(_ message: OpaquePointer) {
    guard let sender = sd_bus_message_get_sender(message), let path = sd_bus_message_get_path(message),
      let interface = sd_bus_message_get_interface(message), let member = sd_bus_message_get_member(message)
    else { return nil }
    self.sender = String(cString: sender)
    self.path = String(cString: path)
    self.interface = String(cString: interface)
    self.member = String(cString: member)
  }
}

extension MessageBus {
  fileprivate func answer(_ call: OpaquePointer, _ result: Result<[BusValue], BusError>) {
    guard isOpen else { return }
    switch result {
    case .failure(let error): refuse(call, error)
    case .success(let values):
      var message: OpaquePointer?
      guard sd_bus_message_new_method_return(call, &message) >= 0, let message else { return }
      defer { sd_bus_message_unref(message) }
      do throws(BusError) {
        try MessageWriter(message: message).append(values)
        try send(message)
      } catch {
        refuse(call, error)
      }
    }
  }

  private func refuse(_ call: OpaquePointer, _ error: BusError) {
    error.name.withCString { name in
      error.message.withCString { text in
        var error = sd_bus_error(name: name, message: text, _need_free: 0)
        var message: OpaquePointer?
        guard sd_bus_message_new_method_error(call, &message, &error) >= 0, let message else { return }
        // If this can't be sent either, the connection has ended.
        try? send(message)
        sd_bus_message_unref(message)
      }
    }
  }
}
