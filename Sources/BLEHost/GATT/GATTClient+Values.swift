import BLEAdapter
import BLECore
import BLECrypto
import BLEWire

/// Reading, writing and configuring (Core, Vol 3 Part G 4.8 to 4.12).
extension GATTClient {
  /// Reads a value, or its first MTU - 1 octets (4.8.1).
  public func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    perform(ATTReadRequest(attributeHandle: handle), expecting: ATTReadResponse.self) { result in
      completion(result.map(\.attributeValue).mapError { OperationError($0) })
    }
  }

  /// Reads a value of any length from an offset on (4.8.3), with further requests as long as the responses are full.
  ///
  /// - Parameter toleratesInvalidOffset: whether Invalid Offset after a full response counts as the end of the value, as some
  ///   servers send it.
  public func readLong(
    _ handle: AttributeHandle, from offset: Int = 0, toleratesInvalidOffset: Bool = false,
    _ completion: @escaping Completion<ArraySlice<UInt8>>
  ) {
    guard offset == 0 else {
      return readBlobs(handle, at: offset, [], toleratesInvalidOffset: toleratesInvalidOffset, completion)
    }
    read(handle) { [self] result in
      goOnReading(handle, after: result, toleratesInvalidOffset: toleratesInvalidOffset, completion)
    }
  }

  /// Sends the first request of `readLong`. `answered` receives what the server sent: if it is not the whole value, see
  /// `readLong(_:after:_:)`. So most reads take one closure and no other object.
  func beginReading(_ handle: AttributeHandle, _ answered: @escaping ATTSentRequest.Completion) {
    bearer.request(ATTReadRequest(attributeHandle: handle), answered)
  }

  /// Whether this is the answer to `beginReading`, and a whole value.
  func isWholeValue(_ answer: Result<ArraySlice<UInt8>, ATTFailure>) -> Bool {
    if case .success(let value) = answer { value.count != bearer.mtu - 1 } else { false }
  }

  /// Reads on after `beginReading`, if necessary with higher security or by further requests; Invalid Offset after a full response
  /// counts as the end of the value.
  func readLong(
    _ handle: AttributeHandle, after answer: Result<ArraySlice<UInt8>, ATTFailure>,
    _ completion: @escaping Completion<ArraySlice<UInt8>>
  ) {
    let goOn = { [self] (answer: Result<ArraySlice<UInt8>, ATTFailure>) in
      goOnReading(handle, after: answer.mapError { OperationError($0) }, toleratesInvalidOffset: true, completion)
    }
    guard let code = answer.wantedSecurity, let raiseSecurity else { return goOn(answer) }
    raiseSecurity(code) { [self] raise in
      switch raise {
      case .raised: beginReading(handle, goOn)
      case .failed: goOn(answer)
      case .tooManyBonds: goOn(.failure(.tooManyBonds))
      }
    }
  }

  private func goOnReading(
    _ handle: AttributeHandle, after first: Result<ArraySlice<UInt8>, Failure>, toleratesInvalidOffset: Bool,
    _ completion: @escaping Completion<ArraySlice<UInt8>>
  ) {
    guard case .success(let value) = first, value.count == bearer.mtu - 1 else { return completion(first) }
    readBlobs(handle, at: value.count, value, toleratesInvalidOffset: toleratesInvalidOffset, completion)
  }

  private func readBlobs(
    _ handle: AttributeHandle, at offset: Int, _ value: ArraySlice<UInt8>, toleratesInvalidOffset: Bool,
    _ completion: @escaping Completion<ArraySlice<UInt8>>
  ) {
    // No value is longer (Core, Vol 3 Part F 3.2.9): the limit ends the procedure with a peer that always sends more.
    if offset >= ATTLimits.maximumValueLength, !value.isEmpty {
      return completion(.success(value.prefix(ATTLimits.maximumValueLength)))
    }
    let request = ATTReadBlobRequest(attributeHandle: handle, valueOffset: UInt16(clamping: offset))
    perform(request, expecting: ATTReadBlobResponse.self) { [self] result in
      switch result {
      case .failure(.refused(let code, _))
      where !value.isEmpty && (code == .attributeNotLong || code == .invalidOffset && toleratesInvalidOffset):
        completion(.success(value))
      case .failure(let failure): completion(.failure(OperationError(failure)))
      case .success(let response):
        let part = response.partAttributeValue
        let joined = value + part
        guard part.count == bearer.mtu - 1 else { return completion(.success(joined)) }
        readBlobs(
          handle, at: offset + part.count, joined, toleratesInvalidOffset: toleratesInvalidOffset, completion)
      }
    }
  }

  /// Reads the values of several attributes, concatenated (4.8.4): only the caller can know their lengths.
  public func readMultiple(_ handles: [AttributeHandle], _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    perform(ATTReadMultipleRequest(setOfHandles: handles), expecting: ATTReadMultipleResponse.self) { result in
      completion(result.map(\.setOfValues).mapError { OperationError($0) })
    }
  }

  /// Reads the values of several attributes of variable length (4.8.5). If they do not fit into the response, the last ones are
  /// truncated or missing.
  public func readMultipleVariable(
    _ handles: [AttributeHandle],
    _ completion: @escaping Completion<[ATTReadMultipleVariableResponse.LengthValueTuple]>
  ) {
    let request = ATTReadMultipleVariableRequest(setOfHandles: handles)
    perform(request, expecting: ATTReadMultipleVariableResponse.self) { result in
      completion(result.map { $0.tuples() }.mapError { OperationError($0) })
    }
  }

  /// Writes a value in one request (4.9.3); it must fit into the MTU.
  public func write(
    _ value: ArraySlice<UInt8>, to handle: AttributeHandle, _ completion: @escaping Completion<Void>
  ) {
    let request = ATTWriteRequest(attributeHandle: handle, attributeValue: value)
    perform(request, expecting: ATTWriteResponse.self) { result in
      completion(result.map { _ in }.mapError { OperationError($0) })
    }
  }

  /// Writes a value without response (4.9.1), truncated to what the MTU allows. `sent`: as in `L2CAPCarrier`.
  public func writeCommand(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: (() -> Void)? = nil) {
    let part = value.prefix(bearer.mtu - 3)
    bearer.send(command: ATTWriteCommand(attributeHandle: handle, attributeValue: part), sent: sent)
  }

  /// Writes a value without response and with a signature (4.9.2). On an encrypted link, which needs no signature, a write
  /// command is sent.
  ///
  /// - Parameters:
  ///   - signing: with this client's signing key.
  ///   - signCounter: greater with each signed write.
  ///   - sent: as in `L2CAPCarrier`.
  public func signedWrite(
    _ value: ArraySlice<UInt8>, to handle: AttributeHandle, _ signing: SignatureAlgorithm, signCounter: UInt32,
    sent: (() -> Void)? = nil
  ) {
    if security.isEncrypted { return writeCommand(value, to: handle, sent: sent) }
    let part = value.prefix(bearer.mtu - 3 - ATTLimits.signatureLength)
    var message = ByteWriter(capacity: 3 + part.count)
    message.append(ATTSignedWriteCommand.opcode.rawValue)
    message.append(handle)
    message.append(contentsOf: part)
    let signature = signing.signature(of: message.octets, signCounter: signCounter)
    bearer.send(
      command: ATTSignedWriteCommand(
        attributeHandle: handle, attributeValue: part, authenticationSignature: signature[...]),
      sent: sent)
  }

  /// Writes a value of any length by prepared writes that the server executes together (4.9.4 and 4.9.5).
  ///
  /// - Parameter checksEcho: whether each response must repeat the part sent, or nothing is written (a reliable write).
  public func writeLong(
    _ value: ArraySlice<UInt8>, to handle: AttributeHandle, at offset: Int = 0, checksEcho: Bool,
    _ completion: @escaping Completion<Void>
  ) {
    let part = value.prefix(bearer.mtu - 5)
    let request = ATTPrepareWriteRequest(
      attributeHandle: handle, valueOffset: UInt16(clamping: offset), partAttributeValue: part)
    perform(request, expecting: ATTPrepareWriteResponse.self) { [self] result in
      switch result {
      case .failure(let failure): cancelWrite(OperationError(failure), completion)
      case .success(let echo):
        if checksEcho, echo != ATTPrepareWriteResponse(to: request) {
          return cancelWrite(.protocolViolation("a prepared write response differs from its request"), completion)
        }
        let rest = value.dropFirst(part.count)
        if rest.isEmpty {
          executeWrite(.write, completion)
        } else {
          writeLong(rest, to: handle, at: offset + part.count, checksEcho: checksEcho, completion)
        }
      }
    }
  }

  private func executeWrite(
    _ flags: ATTExecuteWriteRequest.Flags, _ completion: @escaping Completion<Void>
  ) {
    perform(ATTExecuteWriteRequest(flags: flags), expecting: ATTExecuteWriteResponse.self) { result in
      completion(result.map { _ in }.mapError { OperationError($0) })
    }
  }

  /// Cancels the prepared writes on the server, then fails with `error`.
  private func cancelWrite(_ error: OperationError, _ completion: @escaping Completion<Void>) {
    executeWrite(.cancel) { _ in completion(.failure(error)) }
  }

  /// Writes a client characteristic configuration (4.10 and 4.11).
  public func configure(
    _ configuration: ClientConfiguration, at handle: AttributeHandle, _ completion: @escaping Completion<Void>
  ) {
    write(configuration.octets[...], to: handle, completion)
  }
}
