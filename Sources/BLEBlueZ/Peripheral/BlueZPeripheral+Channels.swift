import BLEAdapter
import BLECore
import Glibc

// The daemon knows nothing of L2CAP channels: peers open them to the kernel.

extension BlueZPeripheral {
  /// More open channels than these are closed at once.
  private static let channelLimit = 64

  func publishChannel(
    demand: SecurityDemand, _ completion: @escaping (Result<ProtocolServiceMultiplexer, PublishError>) -> Void
  ) {
    guard ground.isRunning, let bus = ground.bus, let own = ground.adapterAddress else {
      return ground.later { completion(.failure(.notPoweredOn)) }
    }
    let (sockets, loop) = (ground.channelSockets, bus.loop)
    do throws(SocketError) {
      let (socket, multiplexer) = try sockets.listen(on: own, demand: demand)
      published.append(
        try PublishedChannel(socket, multiplexer, demand: demand, of: sockets, on: loop) { [weak self] socket, peer in
          let channel = SocketChannel(socket, multiplexer, of: sockets, on: loop, log: self?.ground.log ?? .silent)
          self?.take(channel, from: peer)
        })
      ground.later { completion(.success(multiplexer)) }
    } catch {
      ground.log.log(.error, error.channelAdvice)
      let failure = PublishError(publishingChannel: error)
      ground.later { completion(.failure(failure)) }
    }
  }

  /// One that nobody takes is closed.
  private func take(_ channel: SocketChannel, from address: DeviceAddress) {
    let peer = ground.peer(at: address)
    let known = centrals.values.first { $0.identifier == peer.identifier }
    let central = known ?? RemoteCentral(identifier: peer.identifier, maximumUpdateValueLength: Self.smallestUpdate)
    if channels.count < Self.channelLimit { events?.peripheral(didOpen: channel, from: central) }
    // While it drains it is kept by its own timers.
    guard channel.events != nil else { return channel.close() }
    channels.append(channel)
    channel.closed = { [weak self] channel in self?.channels.removeAll { $0 === channel } }
  }

  func unpublishChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping (Bool) -> Void) {
    let count = published.count
    published.removeAll { $0.multiplexer == multiplexer }
    let wasPublished = published.count < count
    ground.later { completion(wasPublished) }
  }

  /// What was written to open ones is to arrive.
  func closeChannels() {
    let open = channels
    channels = []
    for channel in open { channel.close() }
  }
}

extension PublishError {
  /// The kernel has no number left, or gives this program none at all.
  fileprivate init(publishingChannel error: SocketError) {
    switch error.number {
    case EADDRINUSE, EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .outOfSpace
    case ENODEV, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .notPoweredOn
    // Command Disallowed.
    default: self = .refused(code: 0x0C)
    }
  }
}
