import CoreBluetooth

/// A channel that is being published.
struct ChannelPublication {
  let reply: Reply<CBL2CAPPSM>
  let opened: (OpenedChannel) -> Void
}

/// L2CAP channels.
extension PeripheralCore {
  package func publishChannel(
    requiresEncryption: Bool, _ reply: Reply<CBL2CAPPSM>, _ opened: @escaping (OpenedChannel) -> Void
  ) {
    guard manager.state == .poweredOn else { return reply.fail(.unavailable(manager.state)) }
    publications.append(ChannelPublication(reply: reply, opened: opened))
    manager.publishL2CAPChannel(withEncryption: requiresEncryption)
  }

  package func unpublishChannel(_ psm: CBL2CAPPSM) {
    channelHandlers[psm] = nil
    manager.unpublishL2CAPChannel(psm)
  }

  /// Published channels are lost, and those that are being published fail.
  func loseChannels(_ error: SessionError) {
    channelHandlers = [:]
    let failed = publications
    publications = []
    for publication in failed { publication.reply.fail(error) }
  }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    // Without a publication this is the answer to one that has failed, because Bluetooth was switched off.
    guard !publications.isEmpty else { return }
    let publication = publications.removeFirst()
    if let error {
      return publication.reply.fail(SessionError(.refused, "the channel was refused", underlying: error))
    }
    // A caller that has cancelled would not withdraw the channel.
    if publication.reply.isOver { return manager.unpublishL2CAPChannel(PSM) }
    channelHandlers[PSM] = publication.opened
    publication.reply.succeed(PSM)
  }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {
    if let channel { channelHandlers[channel.psm]?(OpenedChannel(channel: channel)) }
  }
}
