internal import BLEAdapter
internal import BLECore

/// A device that a central manager has found or knows.
///
/// The program has to keep it: when the last reference goes, so does its connection. What is to be seen of it changes on the
/// manager's queue, just before the delegate is told.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBPeripheral: CBPeer {
  struct State {
    weak var delegate: (any CBPeripheralDelegate)?
    var name: String?
    var services: [CBService]?
    var rssi: NSNumber?
    var standing = CBPeripheralState.disconnected
    /// Given up, and the delegate of the manager has not been told yet.
    var isLeaving = false
    /// The manager has gone through a reset: this object is of no use any more.
    var isInvalid = false
    /// A lost connection is to be wanted again by itself, with these options.
    var reconnection: ConnectionOptions?
    /// What the program wants to see in the log, and what of it this connection has not brought yet.
    var alerts: ConnectionAlerts = []
    var openAlerts: ConnectionAlerts = []
    var connection: PeerConnection?
    /// The ATT MTU of the last connection that has ended, in octets; 0 before the first.
    var earlierTransmissionUnit = 0
    var database: RemoteObjects?
  }

  let context: CentralContext
  let shared: Locked<State>

  init(_ identifier: PeerIdentifier, name: String?, of context: CentralContext) {
    self.context = context
    shared = Locked(State(name: name))
    super.init(identifier)
  }

  deinit {
    let standing = shared.withLock { $0.standing }
    if standing == .connecting || standing == .connected {
      context.adapter.log.misuse(
        "Cancelling connection for unused peripheral \(description), Did you forget to keep a reference to it?")
      context.submit { [context, peerIdentifier] in context.session.value.cancel(peerIdentifier) }
    }
    context.peripherals.forget(self)
  }

  /// Is told what happens on this peripheral.
  open weak var delegate: (any CBPeripheralDelegate)? {
    get { shared.withLock { $0.delegate } }
    set { shared.withLock { $0.delegate = newValue } }
  }

  /// The name that was read from the device, else the one it advertises.
  open var name: String? { shared.withLock { $0.name } }

  /// What `readRSSI()` last found.
  ///
  /// Availability: iOS 5.0, macOS 10.7; deprecated in iOS 8.0, macOS 10.13.
  @available(*, deprecated, message: "use readRSSI() and the did-read callback")
  open var rssi: NSNumber? { shared.withLock { $0.rssi } }

  /// Whether it is connected to its manager.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  open var state: CBPeripheralState { shared.withLock { $0.standing } }

  /// The services that were discovered; `nil` before, and after the end of the connection.
  open var services: [CBService]? { shared.withLock { $0.services } }

  /// Whether a write without response finds space to wait in. Once false it is true again when
  /// `peripheralIsReady(toSendWriteWithoutResponse:)` is called.
  ///
  /// Availability: iOS 11.0, macOS 10.13.
  open var canSendWriteWithoutResponse: Bool {
    guard let connection = shared.withLock({ $0.standing == .connected ? $0.connection : nil }) else { return false }
    return !connection.window.isFull
  }

  /// Always false: there is no notification centre here.
  ///
  /// Availability: iOS 13.0; not on macOS.
  open var ancsAuthorized: Bool { false }

  /// Asks for the strength of the signal; answered by `peripheral(_:didReadRSSI:error:)`, at most once a second.
  open func readRSSI() {
    let (connection, isInvalid) = shared.withLock { ($0.standing == .connected ? $0.connection : nil, $0.isInvalid) }
    if let connection {
      noticeIfUnheard("Reading RSSI for peripheral", "peripheral:didReadRSSI:error:")
      context.submit { connection.readRSSI() }
    } else if !isInvalid {
      context.submit { [context, peerIdentifier] in context.session.value.post(.rssiUnavailable(peerIdentifier)) }
    }
  }

  /// Looks for services, `nil` for all; answered by `peripheral(_:didDiscoverServices:)`. What was found before stays.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard let connection = connectionForCommand() else { return }
    noticeIfUnheard("Discovering services for peripheral", "peripheral:didDiscoverServices:")
    let filter = serviceUUIDs?.filter
    context.submit { connection.discoverServices(filter) }
  }

  /// Looks for services that `service` includes, `nil` for all; answered by
  /// `peripheral(_:didDiscoverIncludedServicesFor:error:)`.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    guard let connection = connectionForCommand() else { return }
    let (filter, carried) = (includedServiceUUIDs?.filter, Carried(service))
    guard let remote = usable(service) else {
      let refusal = RemotePeripheralEvent.includedServices(service, filter: filter, .failure(.goneAttribute))
      answer(refusal, on: connection)
      return
    }
    context.submit { connection.discoverIncludedServices(filter, of: carried, remote) }
  }

  /// Looks for characteristics of `service`, `nil` for all; answered by
  /// `peripheral(_:didDiscoverCharacteristicsFor:error:)`. What was found before stays.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard let connection = connectionForCommand() else { return }
    noticeIfUnheard(
      "Discovering characteristics on peripheral", "peripheral:didDiscoverCharacteristicsForService:error:")
    let (filter, carried) = (characteristicUUIDs?.filter, Carried(service))
    guard let remote = usable(service) else {
      answer(.characteristics(service, filter: filter, .failure(.goneAttribute)), on: connection)
      return
    }
    context.submit { connection.discoverCharacteristics(filter, of: carried, remote) }
  }

  /// Looks for all descriptors of `characteristic`; answered by `peripheral(_:didDiscoverDescriptorsFor:error:)`.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(characteristic) else {
      answer(.descriptors(characteristic, .failure(.goneAttribute)), on: connection)
      return
    }
    let carried = Carried(characteristic)
    context.submit { connection.discoverDescriptors(of: carried, remote) }
  }

  /// Reads the whole value, however long; answered by `peripheral(_:didUpdateValueFor:error:)`.
  open func readValue(for characteristic: CBCharacteristic) {
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(characteristic) else {
      answer(.read(characteristic, .failure(.goneAttribute)), on: connection)
      return
    }
    let carried = Carried(characteristic)
    context.submit { connection.read(carried, remote.value) }
  }

  /// Reads a descriptor; answered by `peripheral(_:didUpdateValueFor:error:)`.
  open func readValue(for descriptor: CBDescriptor) {
    guard let connection = connectionForCommand() else { return }
    guard let remote = usable(descriptor) else {
      answer(.readDescriptor(descriptor, .failure(.goneAttribute)), on: connection)
      return
    }
    let carried = Carried(descriptor)
    context.submit { connection.read(carried, remote.handle) }
  }

  /// The longest value of one write, in octets: 512 with a response; without one what fits one packet, and never
  /// more than 512.
  ///
  /// Availability: iOS 9.0, macOS 10.12.
  @discardableResult
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    if type == .withResponse { return Self.longestValue }
    let connection = shared.withLock { $0.connection }
    return Self.longestCommand(connection?.maximumTransmissionUnit ?? Self.defaultTransmissionUnit)
  }

  /// Writes a value; with a response answered by `peripheral(_:didWriteValueFor:error:)`.
  ///
  /// Without a response there is no answer; what is longer than `maximumWriteValueLength(for:)` is cut. A program that goes on
  /// though `canSendWriteWithoutResponse` is false may have 1,024 values waiting; what comes on top is dropped.
  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    guard let connection = connectionForCommand() else { return }
    if type == .withResponse {
      writeWithResponse(data, characteristic, connection)
    } else {
      writeWithoutResponse(data, characteristic, connection)
    }
  }

  /// Writes a descriptor; answered by `peripheral(_:didWriteValueFor:error:)`. Never the Client Characteristic
  /// Configuration, which ends the program as on Apple's systems.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
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
    let (octets, carried) = ([UInt8](data), Carried(descriptor))
    context.submit { connection.write(octets, to: carried, remote.handle) }
  }

  /// Switches notifications on or off, or indications where there are no notifications; answered by
  /// `peripheral(_:didUpdateNotificationStateFor:error:)`. Values then come by `peripheral(_:didUpdateValueFor:error:)`.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
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

  /// Opens a channel to what the peripheral has published as `PSM`; answered by `peripheral(_:didOpen:error:)`. The channel is
  /// the program's to keep.
  ///
  /// Availability: iOS 11.0, macOS 10.14.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard let connection = connectionForCommand() else { return }
    context.submit { [origin = context.origin] in connection.openChannel(PSM, origin: origin) }
  }

  /// Answered by `peripheral(_:didCompleteChannelSoundingSession:)` with `CBError.operationNotSupported`: no controller here
  /// measures distance.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
    context.submit { [context, peerIdentifier] in context.session.value.post(.soundingUnavailable(peerIdentifier)) }
  }

  /// Nothing to cancel: see `startChannelSoundingSession(_:)`.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  open func cancelChannelSoundingSession() {}

  /// With the ATT MTU of the connection, or that of the last one: 0 before the first.
  open override var description: String {
    let (name, standing, transmissionUnit) = shared.withLock { state in
      (state.name, state.standing, state.connection?.maximumTransmissionUnit ?? state.earlierTransmissionUnit)
    }
    let words: [CBPeripheralState: String] = [
      .connecting: "connecting", .connected: "connected", .disconnecting: "disconnecting",
    ]
    let identity = "identifier = \(identifier.uuidString), name = \(name ?? "(null)")"
    return "<\(nameAndAddress), \(identity), mtu = \(transmissionUnit), state = \(words[standing] ?? "disconnected")>"
  }
}
