import CoreBluetooth

/// One operation on a connected device. One is in progress at a time; the others wait, also for a reconnection.
package final class Operation {
  package enum Kind {
    case read(CharacteristicPath, Reply<Data>)
    case write(CharacteristicPath, Data, Reply<Void>)
    case writeWithoutResponse(CharacteristicPath, Data, Reply<Void>)
    case notify(CharacteristicPath, Bool, Reply<Void>)
    case discoverIncludedServices(DiscoveredService, Reply<[CBUUID]>)
    case discoverDescriptors(CharacteristicPath, Reply<[DescriptorPath]>)
    case readDescriptor(DescriptorPath, Reply<DescriptorValue>)
    case writeDescriptor(DescriptorPath, Data, Reply<Void>)
    case openChannel(CBL2CAPPSM, Reply<OpenedChannel>)
  }

  let kind: Kind
  /// The attribute that the operation is about, or the peripheral, while the operation is in progress.
  var subject: AnyObject?

  init(_ kind: Kind) { self.kind = kind }

  private var reply: any PendingReply {
    switch kind {
    case .read(_, let reply): reply
    case .write(_, _, let reply), .writeWithoutResponse(_, _, let reply), .notify(_, _, let reply): reply
    case .discoverIncludedServices(_, let reply): reply
    case .discoverDescriptors(_, let reply): reply
    case .readDescriptor(_, let reply): reply
    case .writeDescriptor(_, _, let reply): reply
    case .openChannel(_, let reply): reply
    }
  }

  /// Whether the caller was answered already or has cancelled.
  var isOver: Bool { reply.isOver }

  func fail(_ error: SessionError) { reply.fail(error) }
}
