internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// A device that a central manager has discovered or retrieved.
///
/// The program has to keep a reference: when the last one is released, the connection ends. Its properties change on the
/// manager's queue, just before the delegate is called.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBPeripheral: CBPeer {
  struct State {
    weak var delegate: (any CBPeripheralDelegate)?
    var name: String?
    var services: [CBService]?
    var rssi: NSNumber?
    var standing = CBPeripheralState.disconnected
    /// Cancelled, and the manager's delegate was not yet called.
    var isLeaving = false
    /// The manager was reset: this object is invalid.
    var isInvalid = false
    /// The options with which a lost connection is connected again automatically.
    var reconnection: ConnectionOptions?
    /// The alerts that the program requested and this connection has not logged yet.
    var alerts: ConnectionAlerts = []
    var openAlerts: ConnectionAlerts = []
    var connection: PeerConnection?
    /// The ATT MTU of the last ended connection, in octets; 0 before the first.
    var earlierTransmissionUnit = 0
    var database: RemoteObjects?
  }

  let context: CentralContext
  private let guarded: Mutex<Carried<State>>

  init(_ identifier: PeerIdentifier, name: String?, of context: CentralContext) {
    self.context = context
    guarded = Mutex(Carried(State(name: name)))
    super.init(identifier)
  }

  /// Changes or reads what programs may read from any thread: see `Locked`.
  func withState<Result>(_ body: (inout State) -> Result) -> Result {
    guarded.withLock { Carried<Result>(body(&$0.value)) }.value
  }

  deinit {
    let standing = withState { $0.standing }
    if standing == .connecting || standing == .connected {
      context.watch?.misuse(.peripheralReleased, ProgramSubject(peer: peerIdentifier), in: "deinit")
      context.adapter.log.misuse(
        "Cancelling connection for unused peripheral \(description), Did you forget to keep a reference to it?")
      context.submit { [context, peerIdentifier] in context.session.value.cancel(peerIdentifier) }
    }
    context.peripherals.forget(self)
  }

  /// Receives the events of this peripheral.
  open weak var delegate: (any CBPeripheralDelegate)? {
    get { withState { $0.delegate } }
    set {
      context.watch?.call(
        ProgramSubject(
          peer: peerIdentifier, arguments: [ProgramArgument("delegate", newValue == nil ? "nil" : "set")]))
      withState { $0.delegate = newValue }
    }
  }

  /// The name read from the device, else the advertised one.
  open var name: String? { withState { $0.name } }

  /// The latest result of `readRSSI()`.
  ///
  /// Availability: iOS 5.0, macOS 10.7; deprecated in iOS 8.0, macOS 10.13.
  @available(*, deprecated, message: "use readRSSI() and the did-read callback")
  open var rssi: NSNumber? { withState { $0.rssi } }

  /// Whether it is connected to its manager.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  open var state: CBPeripheralState { withState { $0.standing } }

  /// The discovered services; `nil` before, and after the end of the connection.
  open var services: [CBService]? { withState { $0.services } }

  /// Whether there is space for a write without response. After it was false it is true again when
  /// `peripheralIsReady(toSendWriteWithoutResponse:)` is called.
  ///
  /// Availability: iOS 11.0, macOS 10.13.
  open var canSendWriteWithoutResponse: Bool {
    let connection = withState { $0.standing == .connected ? $0.connection : nil }
    let canSend = connection.map { !$0.window.isFull } ?? false
    context.watch?.call(
      ProgramSubject(peer: peerIdentifier, arguments: [ProgramArgument("result", "\(canSend)")]))
    return canSend
  }

  /// Always false: there is no notification centre here.
  ///
  /// Availability: iOS 13.0; not on macOS.
  open var ancsAuthorized: Bool { false }

  /// Reads the RSSI, at most once a second; `peripheral(_:didReadRSSI:error:)` follows.
  open func readRSSI() {
    context.watch?.call(ProgramSubject(peer: peerIdentifier))
    let (connection, isInvalid) = withState { ($0.standing == .connected ? $0.connection : nil, $0.isInvalid) }
    if let connection {
      warnIfUnhandled("Reading RSSI for peripheral", "peripheral:didReadRSSI:error:")
      context.submit { connection.readRSSI() }
    } else if !isInvalid {
      context.submit { [context, peerIdentifier] in context.session.value.post(.rssiUnavailable(peerIdentifier)) }
    }
  }

  /// Discovers services, `nil` for all; `peripheral(_:didDiscoverServices:)` follows. Services discovered before remain.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, arguments: [.services("services", serviceUUIDs)]))
    guard let connection = connectionForCommand() else { return }
    warnIfUnhandled("Discovering services for peripheral", "peripheral:didDiscoverServices:")
    let filter = serviceUUIDs?.filter
    context.submit { connection.discoverServices(filter) }
  }

  /// Discovers the services that `service` includes, `nil` for all; `peripheral(_:didDiscoverIncludedServicesFor:error:)` follows.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    context.watch?.call(
      ProgramSubject(
        peer: peerIdentifier, attribute: service, arguments: [.services("services", includedServiceUUIDs)]))
    guard let connection = connectionForCommand() else { return }
    let (filter, carried) = (includedServiceUUIDs?.filter, Carried(service))
    guard let remote = usable(service) else {
      let refusal = RemotePeripheralEvent.includedServices(service, filter: filter, .failure(.goneAttribute))
      answer(refusal, on: connection)
      return
    }
    context.submit { connection.discoverIncludedServices(filter, of: carried, remote) }
  }

  /// Discovers characteristics of `service`, `nil` for all; `peripheral(_:didDiscoverCharacteristicsFor:error:)` follows.
  /// Characteristics discovered before remain.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    context.watch?.call(
      ProgramSubject(
        peer: peerIdentifier, attribute: service, arguments: [.services("characteristics", characteristicUUIDs)]))
    guard let connection = connectionForCommand() else { return }
    warnIfUnhandled(
      "Discovering characteristics on peripheral", "peripheral:didDiscoverCharacteristicsForService:error:")
    let (filter, carried) = (characteristicUUIDs?.filter, Carried(service))
    guard let remote = usable(service) else {
      answer(.characteristics(service, filter: filter, .failure(.goneAttribute)), on: connection)
      return
    }
    context.submit { connection.discoverCharacteristics(filter, of: carried, remote) }
  }

  /// Discovers all descriptors of `characteristic`; `peripheral(_:didDiscoverDescriptorsFor:error:)` follows.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, attribute: characteristic))
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(characteristic) else {
      answer(.descriptors(characteristic, .failure(.goneAttribute)), on: connection)
      return
    }
    let carried = Carried(characteristic)
    context.submit { connection.discoverDescriptors(of: carried, remote) }
  }

  /// Reads the whole value, of any length; `peripheral(_:didUpdateValueFor:error:)` follows.
  open func readValue(for characteristic: CBCharacteristic) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, attribute: characteristic))
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(characteristic) else {
      answer(.read(characteristic, .failure(.goneAttribute)), on: connection)
      return
    }
    let carried = Carried(characteristic)
    context.submit { connection.read(carried, remote.value) }
  }

  /// Reads a descriptor; `peripheral(_:didUpdateValueFor:error:)` follows.
  open func readValue(for descriptor: CBDescriptor) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, attribute: descriptor))
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(descriptor) else {
      answer(.readDescriptor(descriptor, .failure(.goneAttribute)), on: connection)
      return
    }
    let carried = Carried(descriptor)
    context.submit { connection.read(carried, remote.handle) }
  }

  /// The longest value of one write, in octets: 512 with a response; without one what fits into one packet, and never more than 512.
  ///
  /// Availability: iOS 9.0, macOS 10.12.
  @discardableResult
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, capacity: room))
    return type == .withResponse ? Self.longestValue : room
  }

  /// Writes a value; with a response, `peripheral(_:didWriteValueFor:error:)` follows.
  ///
  /// Without a response no callback follows, and a value longer than `maximumWriteValueLength(for:)` is truncated. A program that
  /// continues to write while `canSendWriteWithoutResponse` is false may have 1,024 values waiting; further ones are dropped.
  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    context.watch?.call(
      ProgramSubject(
        peer: peerIdentifier, attribute: characteristic, octets: data.count, capacity: room,
        arguments: [ProgramArgument("type", type == .withResponse ? "withResponse" : "withoutResponse")]))
    guard let connection = connectionForCommand() else { return }
    if type == .withResponse {
      writeWithResponse(data, characteristic, connection)
    } else {
      writeWithoutResponse(data, characteristic, connection)
    }
  }

  /// Writes a descriptor; `peripheral(_:didWriteValueFor:error:)` follows. The Client Characteristic Configuration ends the
  /// program, as on Apple's systems.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, attribute: descriptor, octets: data.count))
    if descriptor.uuid.value.short == DescriptorType.clientConfiguration {
      raise(
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:")
    }
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(descriptor) else {
      answer(.wroteDescriptor(descriptor, .goneAttribute), on: connection)
      return
    }
    if data.count > Self.longestValue {
      answer(.wroteDescriptor(descriptor, .valueTooLong), on: connection)
      return
    }
    let (octets, carried) = (data.octets, Carried(descriptor))
    context.submit { connection.write(octets, to: carried, remote.handle) }
  }

  /// Enables or disables notifications, or indications if notifications are not supported;
  /// `peripheral(_:didUpdateNotificationStateFor:error:)` follows. Values are delivered to
  /// `peripheral(_:didUpdateValueFor:error:)`.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    context.watch?.call(
      ProgramSubject(
        peer: peerIdentifier, attribute: characteristic, arguments: [ProgramArgument("enabled", "\(enabled)")]))
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(characteristic) else {
      answer(.notifying(characteristic, enabled, .goneAttribute), on: connection)
      return
    }
    guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
      answer(.notifying(characteristic, enabled, .requestNotSupported), on: connection)
      return
    }
    let carried = Carried(characteristic)
    context.submit { connection.setNotify(enabled, for: carried, remote) }
  }

  /// Opens a channel to the peripheral's `PSM`; `peripheral(_:didOpen:error:)` follows. The program has to keep a reference to the channel.
  ///
  /// Availability: iOS 11.0, macOS 10.14.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier, arguments: [ProgramArgument("PSM", "\(PSM)")]))
    guard let connection = connectionForCommand() else { return }
    context.submit { [origin = context.origin] in connection.openChannel(PSM, origin: origin) }
  }

  /// `peripheral(_:didCompleteChannelSoundingSession:)` follows with `CBError.operationNotSupported`: no supported controller
  /// measures distance.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
    context.watch?.call(ProgramSubject(peer: peerIdentifier))
    context.submit { [context, peerIdentifier] in context.session.value.post(.soundingUnavailable(peerIdentifier)) }
  }

  /// Does nothing: see `startChannelSoundingSession(_:)`.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  open func cancelChannelSoundingSession() {}

  /// With the ATT MTU of the connection, or of the last one: 0 before the first.
  open override var description: String {
    let (name, standing, transmissionUnit) = withState { state in
      (state.name, state.standing, state.connection?.maximumTransmissionUnit ?? state.earlierTransmissionUnit)
    }
    let words: [CBPeripheralState: String] = [
      .connecting: "connecting", .connected: "connected", .disconnecting: "disconnecting",
    ]
    let identity = "identifier = \(identifier.uuidString), name = \(name ?? "(null)")"
    return "<\(nameAndAddress), \(identity), mtu = \(transmissionUnit), state = \(words[standing] ?? "disconnected")>"
  }
}
