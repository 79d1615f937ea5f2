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
    link.left(self)
  }

  /// The link has ended.
  func end() { isOver = true }

  /// The completion, as long as the central has not left.
  private func whileIn<Value>(_ completion: @escaping Completion<Value>) -> Completion<Value> {
    { [self] result in if !isOver { completion(result) } }
  }

  /// Later as always.
  private func answer<Value>(_ error: OperationError, _ completion: @escaping Completion<Value>) {
    link.stack.later { completion(.failure(error)) }
  }

  /// Whether the link is up; where it is not, the completion gets the error.
  private func isIn<Value>(_ completion: @escaping Completion<Value>) -> Bool {
    if isOver { answer(.notConnected, completion) }
    return !isOver
  }

  func readRSSI(_ completion: @escaping Completion<Int8>) {
    guard isIn(completion) else { return }
    guard let rssi = link.device?.rssi else {
      let reason = "BlueZ does not tell the signal strength of a link, only that of advertisements while it scans"
      return answer(.notSupported(reason), whileIn(completion))
    }
    let completion = whileIn(completion)
    link.stack.later { completion(.success(rssi)) }
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

  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>) {
    guard isIn(completion) else { return }
    answer(.notSupported("this adapter opens no L2CAP channels: BlueZ's D-Bus interface has none"), whileIn(completion))
  }
}
