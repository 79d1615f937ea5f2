import BLEAdapter
import BLECore
import BLEHost
import BLEWire

extension DeviceLink {
  typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  /// How long the daemon may take for one operation: it applies the attribute protocol's 30 s itself, but an operation may include a
  /// pairing, or a long value.
  private static let answerLimit = StackDuration.seconds(120)

  // MARK: Discovery, from what the daemon has discovered

  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    look(completion) { attributes in
      attributes.services { service in
        service.isPrimary && service.uuid != GATTType.genericAccess && service.uuid != GATTType.genericAttribute
          && uuids.map { $0.contains(service.uuid) } ?? true
      }
    }
  }

  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    look(completion) { attributes in
      let paths = attributes.services[service.handles.lowerBound]?.includes ?? []
      return paths.compactMap { path in
        guard let start = ObjectPlace(path)?.service, let found = attributes.services[start],
          uuids.map({ $0.contains(found.uuid) }) ?? true
        else { return nil }
        return RemoteService(
          uuid: found.uuid, handles: attributes.handles(ofService: start), isPrimary: found.isPrimary)
      }
    }
  }

  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    look(completion) { attributes in
      attributes.characteristics(in: service).filter { found in uuids.map { $0.contains(found.uuid) } ?? true }
    }
  }

  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    look(completion) { $0.descriptors(of: characteristic.declaration) }
  }

  private func look<Value>(_ completion: @escaping Completion<Value>, _ find: @escaping (RemoteAttributes) -> Value) {
    operations.run(completion) { [weak self] done in
      guard let device = self?.device else { return done(.failure(.notConnected)) }
      done(.success(find(device.attributes)))
    }
  }

  // MARK: Values

  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    operations.run(completion) { [weak self] done in
      guard let self else { return }
      self.reading = handle
      self.call("ReadValue", handle, [.options([:])]) { [weak self] result in
        let value = result.flatMap { answer in
          answer.first?.octetsValue.map { .success($0[...]) }
            ?? .failure(OperationError.protocolViolation("the Bluetooth daemon's answer to ReadValue"))
        }
        self?.readingEnded(try? value.get())
        done(value)
      }
    }
  }

  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    operations.run(completion) { [weak self] done in
      self?.call("WriteValue", handle, [.octets(value), .options(["type": .string("request")])]) { result in
        done(result.map { _ in })
      }
    }
  }

  /// A write without response, after the operations before it. The daemon's reply says that it has accepted the value.
  func writeCommand(_ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void) {
    operations.run({ (_: Result<Void, OperationError>) in }) { [weak self] done in
      guard let self else { return }
      self.commandsUnderWay += 1
      self.call("WriteValue", handle, [.octets(value), .options(["type": .string("command")])]) { [weak self] result in
        guard let self else { return }
        self.commandsUnderWay -= 1
        self.lastCommand = self.stack.loop.now
        if case .failure(let error) = result {
          self.stack.log.log(.info, "a write without response to \(self.peer.address) was lost: \(error)")
        }
        sent()
        self.leaveIfUnused()
      }
      // Later operations need not wait: the daemon handles calls in the order in which they are made.
      done(.success(()))
    }
  }

  /// Calls a method of the attribute.
  private func call(
    _ member: String, _ handle: AttributeHandle, _ arguments: [BusValue], _ done: @escaping Completion<[BusValue]>
  ) {
    guard let target = device?.attributes.target(handle) else {
      return done(.failure(.attribute(code: ATTErrorCode.invalidHandle.rawValue)))
    }
    callObject(member, of: target.interface, at: target.path, arguments, done)
  }

  func callObject(
    _ member: String, of interface: String, at path: String, _ arguments: [BusValue] = [],
    _ done: @escaping Completion<[BusValue]>
  ) {
    guard let bus = stack.bus else { return done(.failure(.notConnected)) }
    bus.call(
      member, of: interface, at: path, on: BlueZName.service, arguments, timeout: Self.answerLimit
    ) { result in
      done(result.mapError { OperationError($0) })
    }
  }
}
