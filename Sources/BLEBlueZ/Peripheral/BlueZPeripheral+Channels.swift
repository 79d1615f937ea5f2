import BLEAdapter
import BLECore
import Glibc

// The daemon has no interface for L2CAP channels: peers open them through the kernel.

extension BlueZPeripheral {
  /// The limit of open channels; further ones are closed immediately.
  private static let channelLimit = 64

  func publishChannel(
    demand: SecurityDemand, _ completion: @escaping (Result<ProtocolServiceMultiplexer, PublishError>) -> Void
  ) {
    guard environment.isRunning, let bus = environment.bus, let own = environment.adapterAddress else {
      return environment.later { completion(.failure(.notPoweredOn)) }
    }
    let (sockets, loop) = (environment.channelSockets, bus.loop)
    do throws(SocketError) {
      let (socket, multiplexer) = try sockets.listen(on: own, demand: demand)
      published.append(
        try PublishedChannel(socket, multiplexer, demand: demand, of: sockets, on: loop) { [weak self] socket, peer in
          let channel = SocketChannel(socket, multiplexer, of: sockets, on: loop, log: self?.environment.log ?? .silent)
          self?.take(channel, from: peer)
        })
      environment.later { completion(.success(multiplexer)) }
    } catch {
      environment.log.log(.error, error.channelAdvice)
      let failure = PublishError(publishingChannel: error)
      environment.later { completion(.failure(failure)) }
    }
  }

  /// Reports the channel; one that the delegate does not keep is closed.
  private func take(_ channel: SocketChannel, from address: DeviceAddress) {
    let peer = environment.peer(at: address)
    let known = centrals.values.first { $0.identifier == peer.identifier }
    let central = known ?? RemoteCentral(identifier: peer.identifier, maximumUpdateValueLength: Self.smallestUpdate)
    if channels.count < Self.channelLimit { events?.peripheral(didOpen: channel, from: central) }
    // While it closes, its own timers retain it.
    guard channel.events != nil else { return channel.close() }
    channels.append(channel)
    channel.closed = { [weak self] channel in self?.channels.removeAll { $0 === channel } }
  }

  func unpublishChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping (Bool) -> Void) {
    let count = published.count
    published.removeAll { $0.multiplexer == multiplexer }
    let wasPublished = published.count < count
    environment.later { completion(wasPublished) }
  }

  /// Closes the open channels after their written data is sent.
  func closeChannels() {
    let open = channels
    channels = []
    for channel in open { channel.close() }
  }
}

extension PublishError {
  /// The kernel has no multiplexer left, or gives this program no socket.
  fileprivate init(publishingChannel error: SocketError) {
    switch error.number {
    case EADDRINUSE, EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .outOfSpace
    case ENODEV, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .notPoweredOn
    // Command Disallowed.
    default: self = .refused(code: 0x0C)
    }
  }
}
