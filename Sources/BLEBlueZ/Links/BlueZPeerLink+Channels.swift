import BLEAdapter
import BLECore

// The daemon has no interface for L2CAP channels: the kernel provides them, on the daemon's link.

extension BlueZPeerLink {
  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>) {
    guard isUp(orFail: completion) else { return }
    let stack = link.stack
    guard let own = stack.adapterAddress, let device = link.device else { return answer(.notConnected, completion) }
    do throws(SocketError) {
      let socket = try stack.channelSockets.connect(from: own, to: device.address, multiplexer)
      let number = openingNumber
      openingNumber &+= 1
      openings[number] = ChannelOpening(socket, on: stack.stackLoop) { [weak self] result in
        // The opening is cancelled where the central has left the link, or the link has ended.
        guard let self, self.openings.removeValue(forKey: number) != nil else { return }
        switch result {
        case .success(let socket): completion(.success(self.keep(socket, multiplexer)))
        case .failure(let error): completion(.failure(self.failure(error)))
        }
      }
    } catch {
      answer(failure(error), whileInUse(completion))
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

  /// Called when the central leaves the link: written data is still sent, and the link lasts until then.
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
      // The last octets are in the controller's buffer, as after a write without response.
      self.lastCommand = self.stack.loop.now
      self.leaveIfUnused()
    }
    channel.close()
  }
}
