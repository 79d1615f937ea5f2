import BLEAdapter
import BLECore

/// One central's use of one link. What is known of the device, the order of operations and the subscriptions are the link's, and shared
/// with the other centrals of the process.
final class BlueZPeerLink: PeerLink {
  let link: DeviceLink
  private(set) weak var central: BlueZCentral?
  weak var events: (any PeerLinkEvents)?
  /// The link has ended, or the central has left it: no event and no completion follows.
  private(set) var isOver = false
  /// Channels that are being opened, and open ones.
  var openings: [UInt64: ChannelOpening] = [:]
  var openingNumber: UInt64 = 0
  var channels: [SocketChannel] = []

  init(link: DeviceLink, central: BlueZCentral) {
    self.link = link
    self.central = central
  }

  var peer: PeerIdentifier { link.peer.identifier }
  var maximumTransmissionUnit: Int { link.maximumTransmissionUnit }

  /// The central has no more use for the link, which may go on for others.
  func leave() {
    if isOver { return }
    isOver = true
    closeChannels()
    link.left(self)
  }

  /// The link has ended, and with it its channels: each hears of that by its own socket.
  func end() {
    isOver = true
    forgetChannels()
  }

  /// The adapter or the daemon is gone, whatever the kernel still has.
  func drop() {
    let channels = channels
    end()
    for channel in channels { channel.finish(.poweredOff) }
  }

  /// The completion, as long as the central has not left.
  func whileIn<Value>(_ completion: @escaping Completion<Value>) -> Completion<Value> {
    { [self] result in if !isOver { completion(result) } }
  }

  /// Later as always.
  func answer<Value>(_ error: OperationError, _ completion: @escaping Completion<Value>) {
    link.stack.later { completion(.failure(error)) }
  }

  /// Whether the link is up; where it is not, the completion gets the error.
  func isIn<Value>(_ completion: @escaping Completion<Value>) -> Bool {
    if isOver { answer(.notConnected, completion) }
    return !isOver
  }

  func readRSSI(_ completion: @escaping Completion<Int8>) {
    guard isIn(completion) else { return }
    let completion = whileIn(completion)
    link.readStrength { [link] strength in
      if let strength = strength ?? link.device?.rssi { return completion(.success(strength)) }
      let reason =
        "BlueZ does not tell the signal strength of a link, only that of advertisements while it scans; the kernel tells programs with "
        + "CAP_NET_ADMIN"
      completion(.failure(.notSupported(reason)))
    }
  }

  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    if isIn(completion) { link.discoverServices(uuids, whileIn(completion)) }
  }

  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    if isIn(completion) { link.discoverIncludedServices(uuids, of: service, whileIn(completion)) }
  }

  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    if isIn(completion) { link.discoverCharacteristics(uuids, of: service, whileIn(completion)) }
  }

  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    if isIn(completion) { link.discoverDescriptors(of: characteristic, whileIn(completion)) }
  }

  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    if isIn(completion) { link.read(handle, whileIn(completion)) }
  }

  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    if isIn(completion) { link.write(value, to: handle, whileIn(completion)) }
  }

  func writeCommand(_ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void) {
    if isOver { return }
    link.writeCommand(value, to: handle) { [self] in if !isOver { sent() } }
  }

  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>) {
    if isIn(completion) { link.setNotify(isOn, for: characteristic, by: self, whileIn(completion)) }
  }
}
