import BLEAdapter
import BLECore

// The daemon knows nothing of L2CAP channels: they are the kernel's, on the daemon's link.

extension BlueZPeerLink {
  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>) {
    guard isIn(completion) else { return }
    let stack = link.stack
    guard let own = stack.adapterAddress, let device = link.device else { return answer(.notConnected, completion) }
    do throws(SocketError) {
      let socket = try stack.channelSockets.connect(from: own, to: device.address, multiplexer)
      let number = openingNumber
      openingNumber &+= 1
      openings[number] = ChannelOpening(socket, on: stack.stackLoop) { [weak self] result in
        // Where the central has left, or the link has ended, the opening was cancelled.
        guard let self, self.openings.removeValue(forKey: number) != nil else { return }
        switch result {
        case .success(let socket): completion(.success(self.keep(socket, multiplexer)))
        case .failure(let error): completion(.failure(self.failure(error)))
        }
      }
    } catch {
      answer(failure(error), whileIn(completion))
    }
  }

  private func failure(_ error: SocketError) -> OperationError {
    let failure = OperationError(openingChannel: error)
    if case .notSupported(let text) = failure { link.stack.log.log(.error, text) }
    return failure
  }

  private func keep(_ socket: BusDescriptor, _ multiplexer: ProtocolServiceMultiplexer) -> SocketChannel {
    let stack = link.stack
    let channel = SocketChannel(
      socket, multiplexer, of: stack.channelSockets, on: stack.stackLoop, log: stack.log.labelled("l2cap"))
    channels.append(channel)
    channel.closed = { [weak self] channel in self?.channels.removeAll { $0 === channel } }
    return channel
  }

  /// The central has left: what was written is to arrive, and the link lasts until it has.
  func closeChannels() {
    let open = channels
    forgetChannels()
    for channel in open { link.close(channel) }
  }

  func forgetChannels() {
    openings = [:]
    channels = []
  }
}

extension DeviceLink {
  fileprivate func close(_ channel: SocketChannel) {
    closingChannels += 1
    channel.closed = { [weak self] _ in
      guard let self else { return }
      self.closingChannels -= 1
      // The last octets are with the controller, as after a write without response.
      self.lastCommand = self.stack.loop.now
      self.leaveIfUnused()
    }
    channel.close()
  }
}
