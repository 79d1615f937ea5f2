internal import BLEAdapter
internal import BLECore

// Shared by the commands of a peripheral.

extension CBPeripheral {
  /// The longest value of an attribute, in octets (Core, Vol 3 Part F 3.2.9).
  static let longestValue = 512
  /// The ATT MTU before another one is negotiated (Core, Vol 3 Part G 5.2.1).
  static let defaultTransmissionUnit = 23
  /// The opcode and handle of a write (Core, Vol 3 Part F 3.4.5).
  static let commandHeader = 3

  /// The longest value of a write without response: no attribute is longer, whatever a packet can carry.
  static func longestCommand(_ transmissionUnit: Int) -> Int { min(longestValue, transmissionUnit - commandHeader) }

  /// The connection for a command; `nil`, with a line in the log, if there is none.
  func connectionForCommand(name: String = #function) -> PeerConnection? {
    let connection = withState { $0.standing == .connected ? $0.connection : nil }
    if connection == nil {
      context.watch?.misuse(.notConnected, ProgramSubject(peer: peerIdentifier), in: name)
      context.adapter.log.misuse("\(description) can only accept commands while in the connected state")
    }
    return connection
  }

  /// The longest value that one write without response carries now, in octets.
  var room: Int {
    let connection = withState { $0.connection }
    return Self.longestCommand(connection?.maximumTransmissionUnit ?? Self.defaultTransmissionUnit)
  }

  /// Completes a command without a request to the peer.
  func answer(_ event: RemotePeripheralEvent, on connection: PeerConnection) {
    let event = Carried(event)
    context.submit { connection.post(event.value) }
  }

  func writeWithResponse(_ data: Data, _ characteristic: CBCharacteristic, _ connection: PeerConnection) {
    let refusal: OperationError?
    let remote = usable(characteristic, name: "writeValue(_:for:type:)")
    if remote == nil {
      refusal = .goneAttribute
    } else if !characteristic.properties.contains(.write) {
      refusal = .writeNotPermitted
    } else {
      refusal = data.count > Self.longestValue ? .valueTooLong : nil
    }
    guard let remote, refusal == nil else {
      answer(.wrote(characteristic, refusal), on: connection)
      return
    }
    let (octets, carried) = (data.octets, Carried(characteristic))
    context.submit { connection.write(octets, to: carried, remote.value) }
  }

  func writeWithoutResponse(_ data: Data, _ characteristic: CBCharacteristic, _ connection: PeerConnection) {
    let log = context.adapter.log
    guard let remote = usable(characteristic, name: "writeValue(_:for:type:)") else {
      log.misuse("\(characteristic) is not of this connection of \(description): nothing is written")
      return
    }
    guard !characteristic.properties.isDisjoint(with: [.writeWithoutResponse, .authenticatedSignedWrites]) else {
      log.log(
        .warning,
        "WARNING: Characteristic \(characteristic) does not specify the \"Write Without Response\" property - ignoring "
          + "response-less write")
      return
    }
    if let watch = context.watch, connection.window.isFull {
      watch.misuse(
        .writeWithoutRoom, ProgramSubject(peer: peerIdentifier, attribute: characteristic, octets: data.count),
        in: "writeValue(_:for:type:)")
    }
    guard connection.window.take() else {
      log.log(.warning, "\(description) has too many writes without response waiting: one is dropped")
      return
    }
    let length = min(data.count, Self.longestCommand(connection.maximumTransmissionUnit))
    if length < data.count {
      context.watch?.misuse(
        .writeCut,
        ProgramSubject(
          peer: peerIdentifier, attribute: characteristic, octets: data.count, capacity: length),
        in: "writeValue(_:for:type:)")
      log.log(.warning, "a write without response of \(data.count) octets is cut to \(length)")
    }
    context.writeCommand(data, length: length, to: remote.value, on: connection)
  }

  // Attributes of an earlier connection, of services that the peer has changed, or of another peripheral, are invalid. Local ones
  // raise an exception on Apple's systems.

  func usable(_ service: CBService, name: String = #function) -> RemoteService? {
    guard let remote = service.remote else { raise("\(service) does not belong to a peripheral") }
    if service.peripheral === self && service.isValid { return remote }
    return stale(service, name)
  }

  func usable(_ characteristic: CBCharacteristic, name: String = #function) -> RemoteCharacteristic? {
    guard let remote = characteristic.remote else {
      raise("-[\(type(of: characteristic)) handle]: unrecognized selector sent to instance \(characteristic)")
    }
    if characteristic.isValid && characteristic.service?.peripheral === self { return remote }
    return stale(characteristic, name)
  }

  func usable(_ descriptor: CBDescriptor, name: String = #function) -> RemoteDescriptor? {
    guard let remote = descriptor.remote else {
      raise("-[\(type(of: descriptor)) handle]: unrecognized selector sent to instance \(descriptor)")
    }
    if let characteristic = descriptor.characteristic, usable(characteristic, name: name) != nil { return remote }
    return nil
  }
}

extension CBPeripheral {
  fileprivate func stale<Remote>(_ attribute: CBAttribute, _ name: String) -> Remote? {
    context.watch?.misuse(.staleAttribute, ProgramSubject(peer: peerIdentifier, attribute: attribute), in: name)
    return nil
  }
}

extension OperationError {
  // Failures that this side detects without a request to the peer, with the codes of the Attribute Protocol.
  static let goneAttribute = attribute(code: 0x01)
  static let writeNotPermitted = attribute(code: 0x03)
  static let requestNotSupported = attribute(code: 0x06)
  static let valueTooLong = attribute(code: 0x0D)
}

extension [CBUUID] {
  /// The filter of a discovery; an empty list discovers everything, as `nil` does.
  var filter: [BLEUUID]? { isEmpty ? nil : map(\.value) }
}
