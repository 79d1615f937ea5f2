import BLECore
import BLEHCI
import CSystemBus
import Dispatch

/// A method call that waits for its reply. Releasing it does not cancel it.
final class BusCall {
  private weak var bus: MessageBus?
  private let limits: BusLimits
  private var slot: BusSlot?
  private var completion: ((Result<[BusValue], BusError>) -> Void)?

  fileprivate init(
    _ bus: MessageBus, limits: BusLimits, _ completion: @escaping (Result<[BusValue], BusError>) -> Void
  ) {
    self.bus = bus
    self.limits = limits
    self.completion = completion
  }

  /// Whether no reply has arrived yet.
  var isPending: Bool { completion != nil }

  /// Stops waiting: the completion is not called. The other program still executes the call. On the loop.
  func cancel() {
    completion = nil
    settle()
  }

  func finish(_ result: Result<[BusValue], BusError>) {
    guard let completion else { return }
    cancel()
    completion(result)
  }

  private func settle() {
    bus?.calls[ObjectIdentifier(self)] = nil
    slot?.end()
    slot = nil
  }

  fileprivate func start(_ message: OpaquePointer, timeout: StackDuration?) throws(BusError) {
    guard let bus else { return }
    let connection = bus.connection
    // libsystemd takes 0 as its default of 25 s and UInt64.max as no timeout.
    let microseconds = timeout.map { UInt64(max(1, $0.microseconds)) } ?? .max
    slot = try BusSlot(self, on: bus.loop.queue, doing: "Calling") { slot, context in
      sd_bus_call_async(
        connection, slot, message,
        { answer, context, _ in
          guard let answer, let context else { return 0 }
          Unmanaged<BusCall>.fromOpaque(context).takeUnretainedValue().receive(answer)
          return 1
        }, context, microseconds)
    }
    bus.calls[ObjectIdentifier(self)] = self
  }

  private func receive(_ answer: OpaquePointer) {
    guard isPending else { return }
    if let error = sd_bus_message_get_error(answer) {
      finish(.failure(BusError(reading: error.pointee)))
    } else {
      do throws(BusError) {
        finish(.success(try MessageReader.arguments(of: answer, limits: limits)))
      } catch {
        finish(.failure(error))
      }
    }
  }
}

/// Passes the texts to C as they are. A text that is written as an argument of a C function is copied for it.
private func withCharacters<Result>(
  _ first: String, _ second: String, _ third: String, _ fourth: String,
  _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
) -> Result {
  first.withCString { first in
    second.withCString { second in
      third.withCString { third in
        fourth.withCString { fourth in body(first, second, third, fourth) }
      }
    }
  }
}

extension BusError {
  fileprivate init(reading error: sd_bus_error) {
    // The text comes from outside, so its length is limited.
    self.init(
      error.name.map { String(cString: $0) } ?? Self.failed,
      String((error.message.map { String(cString: $0) } ?? "").prefix(500)))
  }
}

extension MessageBus {
  /// Calls a method of another program's object.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait for the reply; `nil`: as long as the destination is on the bus.
  ///   - limits: how much of the reply is read.
  ///   - completion: never called inside this call, and not after `cancel()`.
  @discardableResult
  func call(
    _ member: String, of interface: String, at path: String, on destination: String, _ arguments: [BusValue] = [],
    timeout: StackDuration?, limits: BusLimits = .standard,
    _ completion: @escaping (Result<[BusValue], BusError>) -> Void
  ) -> BusCall {
    let call = BusCall(self, limits: limits, completion)
    do throws(BusError) {
      guard isOpen else { throw BusError(BusError.disconnected, "The message bus is disconnected.") }
      var message: OpaquePointer?
      let result = withCharacters(destination, path, interface, member) { destination, path, interface, member in
        sd_bus_message_new_method_call(connection, &message, destination, path, interface, member)
      }
      guard result >= 0, let message else {
        throw BusError(number: result, doing: "Calling \(interface).\(member) of \(destination) at \(path)")
      }
      defer { sd_bus_message_unref(message) }
      try MessageWriter(message: message).append(arguments)
      try call.start(message, timeout: timeout)
      arm()
    } catch {
      let failed = LoopBound((call, error))
      loop.queue.async { failed.value.0.finish(.failure(failed.value.1)) }
    }
    return call
  }
}
