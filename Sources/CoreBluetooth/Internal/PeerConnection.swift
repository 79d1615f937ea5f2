internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// One connection of a peripheral: passes its operations to the stack, and the stack's events to the program.
///
/// Programs' threads hold it to submit jobs; unless marked otherwise, it is used on the loop.
///
/// `@unchecked Sendable`: from other threads only constants, atomics and `window` are used.
final class PeerConnection: @unchecked Sendable {
  /// Accessed on the program's queue.
  let peripheral: Carried<WeakReference<CBPeripheral>>
  /// From any thread.
  let window = SendWindow()
  private let transmissionUnit: Atomic<Int>

  private let link: any PeerLink
  private unowned let session: CentralSession
  private var isOpen = true
  private var signal = SignalSchedule()
  private var subscriptions: [AttributeHandle: Subscription] = [:]
  /// One closure for all writes without response.
  private var commandSent: () -> Void = {}

  private struct Subscription {
    var isOn: Bool
    var pending: Int
  }

  init(_ link: any PeerLink, session: CentralSession, peripheral: Carried<WeakReference<CBPeripheral>>) {
    self.link = link
    self.session = session
    self.peripheral = peripheral
    transmissionUnit = Atomic(link.maximumTransmissionUnit)
    commandSent = { [weak self] in self?.didSendCommand() }
    link.events = self
  }

  /// The ATT MTU in octets. From any thread.
  var maximumTransmissionUnit: Int { transmissionUnit.load(ordering: .relaxed) }

  /// No further event of this connection is delivered.
  func close() {
    isOpen = false
    link.events = nil
    session.loop.cancel(signal.timer)
  }

  /// Nothing is delivered after the end: pending operations are not completed.
  func post(_ event: RemotePeripheralEvent) {
    if isOpen { session.post(.peripheral(self, event)) }
  }

  // MARK: Discovery

  func discoverServices(_ filter: [BLEUUID]?) {
    guard isOpen else { return }
    link.discoverServices(filter) { self.post(.services(filter: filter, $0)) }
  }

  func discoverIncludedServices(_ filter: [BLEUUID]?, of service: Carried<CBService>, _ remote: RemoteService) {
    guard isOpen else { return }
    link.discoverIncludedServices(filter, of: remote) {
      self.post(.includedServices(service.value, filter: filter, $0))
    }
  }

  func discoverCharacteristics(_ filter: [BLEUUID]?, of service: Carried<CBService>, _ remote: RemoteService) {
    guard isOpen else { return }
    link.discoverCharacteristics(filter, of: remote) {
      self.post(.characteristics(service.value, filter: filter, $0))
    }
  }

  func discoverDescriptors(of characteristic: Carried<CBCharacteristic>, _ remote: RemoteCharacteristic) {
    guard isOpen else { return }
    link.discoverDescriptors(of: remote) { self.post(.descriptors(characteristic.value, $0)) }
  }

  // MARK: Values

  func read(_ characteristic: Carried<CBCharacteristic>, _ handle: AttributeHandle) {
    guard isOpen else { return }
    link.read(handle) { self.post(.read(characteristic.value, $0.map { Data(copying: $0) })) }
  }

  func read(_ descriptor: Carried<CBDescriptor>, _ handle: AttributeHandle) {
    guard isOpen else { return }
    link.read(handle) { self.post(.readDescriptor(descriptor.value, $0.map { Data(copying: $0) })) }
  }

  func write(_ value: [UInt8], to characteristic: Carried<CBCharacteristic>, _ handle: AttributeHandle) {
    guard isOpen else { return }
    link.write(value, to: handle) { self.post(.wrote(characteristic.value, $0.failure)) }
  }

  func write(_ value: [UInt8], to descriptor: Carried<CBDescriptor>, _ handle: AttributeHandle) {
    guard isOpen else { return }
    link.write(value, to: handle) { self.post(.wroteDescriptor(descriptor.value, $0.failure)) }
  }

  /// The caller has taken a place of `window` for it.
  func writeCommand(_ value: ArraySlice<UInt8>, _ handle: AttributeHandle) {
    guard isOpen else { return }
    link.writeCommand(value, to: handle, sent: commandSent)
  }

  private func didSendCommand() {
    if window.giveBack() { post(.readyToWrite) }
  }

  /// If the requested state is already set or requested, nothing is sent, but the callback still follows.
  func setNotify(_ isOn: Bool, for characteristic: Carried<CBCharacteristic>, _ remote: RemoteCharacteristic) {
    guard isOpen else { return }
    let known = subscriptions[remote.value] ?? Subscription(isOn: false, pending: 0)
    if known.pending == 0 && known.isOn == isOn {
      post(.notifying(characteristic.value, isOn, nil))
      return
    }
    subscriptions[remote.value] = Subscription(isOn: known.isOn, pending: known.pending + 1)
    link.setNotify(isOn, for: remote) { result in
      if var subscription = self.subscriptions[remote.value] {
        subscription.pending -= 1
        if result.failure == nil { subscription.isOn = isOn }
        self.subscriptions[remote.value] = subscription
      }
      self.post(.notifying(characteristic.value, isOn, result.failure))
    }
  }

  // MARK: Channels

  /// - Parameter origin: the origin of the channel's jobs.
  func openChannel(_ multiplexer: CBL2CAPPSM, origin: JobOrigin) {
    guard isOpen else { return }
    link.openChannel(ProtocolServiceMultiplexer(multiplexer)) { result in
      let (loop, log) = (self.session.loop, self.session.log)
      self.post(.openedChannel(result.map { ChannelPipe($0, loop: loop, origin: origin, log: log) }))
    }
  }

  // MARK: Signal strength

  /// However often it is called, the stack is asked, and the program called back, at most once a second.
  func readRSSI() {
    guard isOpen, !signal.isPending else { return }
    signal.isPending = true
    guard let earliest = signal.earliest, earliest > session.loop.now else {
      askForRSSI()
      return
    }
    signal.timer = session.loop.schedule(at: earliest, .work, self, tag: 0)
  }

  private func askForRSSI() {
    link.readRSSI { result in
      guard self.isOpen else { return }
      self.signal.isPending = false
      self.signal.earliest = self.session.loop.now + SignalSchedule.interval
      self.post(.rssi(result))
    }
  }
}

extension PeerConnection: TimerTarget {
  func timerFired(tag: Int) {
    if isOpen { askForRSSI() }
  }
}

extension PeerConnection: PeerLinkEvents {
  func link(_ link: any PeerLink, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    !isOpen || session.offer(.peripheral(self, .notified(handle, Data(copying: value))))
  }

  func link(_ link: any PeerLink, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {
    subscriptions = subscriptions.filter { !handles.contains($0.key) }
    post(.modified(handles))
  }

  func link(_ link: any PeerLink, didUpdateName name: String) { post(.renamed(name)) }

  func link(_ link: any PeerLink, didUpdateMaximumTransmissionUnit octets: Int) {
    transmissionUnit.store(octets, ordering: .relaxed)
  }
}

/// When the RSSI may be read again.
private struct SignalSchedule {
  static let interval = StackDuration.seconds(1)
  var isPending = false
  var earliest: StackInstant?
  var timer = TimerToken()
}

extension Result {
  var success: Success? {
    if case .success(let value) = self { return value }
    return nil
  }

  var failure: Failure? {
    if case .failure(let failure) = self { return failure }
    return nil
  }
}

// Values on their way between `Data` and the loop's octets: copied once, as one piece of memory. The initializers for sequences ask for
// single octets, and take an object more.

extension Data {
  init(copying octets: ArraySlice<UInt8>) {
    self = octets.withUnsafeBytes { room in room.baseAddress.map { Data(bytes: $0, count: room.count) } ?? Data() }
  }

  var octets: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
