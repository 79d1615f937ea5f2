import BLEAdapter
import BLECore

/// One central's use of one link. The device's attributes, the order of operations and the subscriptions belong to the link, and are
/// shared with the other centrals of the process.
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

  /// Called when the central no longer uses the link, which may continue for others.
  func leave() {
    if isOver { return }
    isOver = true
    closeChannels()
    link.left(self)
  }

  /// Called when the link has ended, and with it its channels: each is closed by its own socket.
  func end() {
    isOver = true
    forgetChannels()
  }

  /// Called when the adapter or the daemon is gone: closes the channels, whatever their sockets say.
  func drop() {
    let channels = channels
    end()
    for channel in channels { channel.finish(.poweredOff) }
  }

  /// The completion, called only while the central uses the link.
  func whileInUse<Value>(_ completion: @escaping Completion<Value>) -> Completion<Value> {
    { [self] result in if !isOver { completion(result) } }
  }

  /// Calls the completion with the error, asynchronously as always.
  func answer<Value>(_ error: OperationError, _ completion: @escaping Completion<Value>) {
    link.stack.later { completion(.failure(error)) }
  }

  /// Returns whether the link is up; where it is not, calls the completion with the error.
  func isUp<Value>(orFail completion: @escaping Completion<Value>) -> Bool {
    if isOver { answer(.notConnected, completion) }
    return !isOver
  }

  func readRSSI(_ completion: @escaping Completion<Int8>) {
    guard isUp(orFail: completion) else { return }
    let completion = whileInUse(completion)
    link.readStrength { [link] strength in
      if let strength = strength ?? link.device?.rssi { return completion(.success(strength)) }
      let reason =
        "BlueZ does not report the signal strength of a link, only that of advertisements while it scans; the kernel reports it to "
        + "programs with CAP_NET_ADMIN"
      completion(.failure(.notSupported(reason)))
    }
  }

  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    if isUp(orFail: completion) { link.discoverServices(uuids, whileInUse(completion)) }
  }

  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    if isUp(orFail: completion) { link.discoverIncludedServices(uuids, of: service, whileInUse(completion)) }
  }

  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    if isUp(orFail: completion) { link.discoverCharacteristics(uuids, of: service, whileInUse(completion)) }
  }

  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    if isUp(orFail: completion) { link.discoverDescriptors(of: characteristic, whileInUse(completion)) }
  }

  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    if isUp(orFail: completion) { link.read(handle, whileInUse(completion)) }
  }

  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    if isUp(orFail: completion) { link.write(value, to: handle, whileInUse(completion)) }
  }

  func writeCommand(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void) {
    if isOver { return }
    link.writeCommand(Array(value), to: handle) { [self] in if !isOver { sent() } }
  }

  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>) {
    if isUp(orFail: completion) { link.setNotify(isOn, for: characteristic, by: self, whileInUse(completion)) }
  }
}
