import BLECore
import BLEHCI
import CSystemBus
import Dispatch
import Glibc

/// The address of a bus.
enum BusAddress: Hashable, Sendable {
  /// The system bus, where bluetoothd is.
  case system
  /// As in the D-Bus specification, "Server addresses": "unix:path=/run/dbus/system_bus_socket".
  case address(String)
}

/// A connection to a message bus (D-Bus), by libsystemd's sd-bus.
///
/// A thread waits for the descriptor (`BusThread`). All methods and callbacks run on the loop's queue, and none of them blocks: calls
/// made before the bus has answered the handshake are queued.
///
/// All input is treated as hostile. Each message is decoded within limits; one that exceeds them, or is malformed, fails its own call, or
/// is dropped if it is a signal. A signal counts only if its sender owns the expected name: the bus itself delivers whatever another
/// program addresses to this one.
final class MessageBus {
  /// Called when the bus is gone or does not speak D-Bus, after every pending call has failed. No callback follows.
  var ended: (() -> Void)?
  /// The number of signals that were dropped because they could not be read.
  var unreadableSignals = 0

  let loop: DispatchStackLoop
  let connection: OpaquePointer
  private(set) var isOpen = true
  private var isProcessing = false
  private var isProcessingSubmitted = false
  private var watch: BusThread?
  private var timer = TimerToken()
  private var timerDue = UInt64.max

  /// The calls that wait for a reply.
  var calls: [ObjectIdentifier: BusCall] = [:]
  /// The owners of the names that are listened to.
  var owners: [String: BusOwner] = [:]
  /// The exports, by path.
  var exports: [String: WeakReference<ExportRegistration>] = [:]

  /// Starts to connect. Whether the bus answers shows in the first call. On the loop.
  init(_ address: BusAddress, loop: DispatchStackLoop) throws(BusError) {
    var connection: OpaquePointer?
    switch address {
    case .system:
      let result = sd_bus_open_system(&connection)
      guard result >= 0 else { throw BusError(number: result, doing: "Connecting to the system's message bus") }
    case .address(let address):
      let result = Self.open(address, &connection)
      guard result >= 0 else { throw BusError(number: result, doing: "Connecting to the message bus at \(address)") }
    }
    guard let connection else { throw BusError(BusError.failed, "There is no connection to the message bus.") }
    sd_bus_set_exit_on_disconnect(connection, 0)
    self.connection = connection
    self.loop = loop
    loop.queue.markAsLoop()
    arm()
  }

  private static func open(_ address: String, _ connection: inout OpaquePointer?) -> Int32 {
    var result = sd_bus_new(&connection)
    if result >= 0 { result = sd_bus_set_address(connection, address) }
    if result >= 0 { result = sd_bus_set_bus_client(connection, 1) }
    if result >= 0 { result = sd_bus_negotiate_fds(connection, 1) }
    if result >= 0 { result = sd_bus_start(connection) }
    if result < 0 {
      sd_bus_unref(connection)
      connection = nil
    }
    return result
  }

  deinit {
    loop.queue.onLoop((connection, calls)) { connection, calls in
      for call in calls.values { call.cancel() }
      sd_bus_close_unref(connection)
    }
  }

  /// Closes the connection. Pending calls get no reply, and `ended` is not called.
  func close() {
    guard isOpen else { return }
    isOpen = false
    for call in calls.values { call.cancel() }
    calls = [:]
    release()
  }

  private func release() {
    watch = nil
    loop.cancel(timer)
    sd_bus_close(connection)
  }

  /// The connection has ended: every call fails, names have no owners, then `ended` is called.
  private func finish() {
    guard isOpen else { return }
    isOpen = false
    release()
    let waiting = calls.values
    calls = [:]
    for call in waiting {
      call.finish(.failure(BusError(BusError.disconnected, "The message bus is disconnected.")))
    }
    for owner in owners.values { owner.set(nil) }
    ended?()
  }

  /// Sends a message that was built on this bus.
  func send(_ message: OpaquePointer) throws(BusError) {
    let result = sd_bus_send(connection, message, nil)
    if result < 0 { throw BusError(number: result, doing: "Sending a message") }
    arm()
  }

  // MARK: - The loop

  /// How many messages are handled before other jobs of the loop run.
  private static let burst = 64

  private func process() {
    guard isOpen, !isProcessing else { return }
    isProcessing = true
    var result: Int32 = 1
    var count = 0
    while isOpen, result > 0, count < Self.burst {
      result = sd_bus_process(connection, nil)
      count += 1
      // Most messages come alone, and to look for one more in vain costs libsystemd more than this. What it holds back itself, `arm` sees.
      if count == 1, result > 0, isOpen, !hasInput { break }
    }
    isProcessing = false
    guard isOpen else { return }
    // A connection that libsystemd calls closing still delivers the replies it has.
    if result < 0 || (result == 0 && sd_bus_is_open(connection) <= 0) {
      finish()
    } else if result > 0, count == Self.burst {
      submitProcessing()
    } else {
      arm()
    }
  }

  /// Whether there is something to read; also where that cannot be found out.
  private var hasInput: Bool {
    var count: Int32 = 0
    return ioctl(sd_bus_get_fd(connection), UInt(FIONREAD), &count) != 0 || count > 0
  }

  private func submitProcessing() {
    guard !isProcessingSubmitted else { return }
    isProcessingSubmitted = true
    let this = LoopBound(WeakReference(self))
    loop.queue.async {
      guard let bus = this.value.object else { return }
      bus.isProcessingSubmitted = false
      bus.process()
    }
  }

  /// Watches what libsystemd waits for now. Call it after everything that may have changed that.
  func arm() {
    guard isOpen, !isProcessing, !isProcessingSubmitted else { return }
    let descriptor = sd_bus_get_fd(connection)
    let events = sd_bus_get_events(connection)
    var due = UInt64.max
    // An error here is one of the connection, which `process` finds and handles.
    guard descriptor >= 0, events >= 0, sd_bus_get_timeout(connection, &due) >= 0, due != 0 else {
      submitProcessing()
      return
    }
    // The descriptor changes while libsystemd tries one address after the other.
    if watch?.original != descriptor {
      let this = LoopBound(WeakReference(self))
      watch = BusThread(of: descriptor, on: loop.queue) { this.value.object?.process() }
      if watch == nil {
        finish()
        return
      }
    }
    watch?.watchWrites(events & POLLOUT != 0)
    // A timer that fires early finds nothing to do: setting it again for every reply would cost more.
    if due < timerDue { schedule(due) }
  }

  /// - Parameter due: in microseconds of the machine's monotonic clock, which is also the loop's clock.
  private func schedule(_ due: UInt64) {
    loop.cancel(timer)
    timerDue = due
    let nanoseconds = Int64(clamping: due).multipliedReportingOverflow(by: 1000 * Int64(loop.speed))
    guard !nanoseconds.overflow else { return }
    timer = loop.schedule(
      at: StackInstant(nanoseconds: nanoseconds.partialValue), .background, BusTimer(bus: self), tag: 0)
  }

  fileprivate func timerFired() {
    timerDue = .max
    process()
  }
}

private final class BusTimer: TimerTarget {
  weak var bus: MessageBus?
  init(bus: MessageBus) { self.bus = bus }
  func timerFired(tag: Int) { bus?.timerFired() }
}
