internal import BLEAdapter
internal import BLECore

/// Events from the loop to a central manager.
enum CentralEvent {
  /// What the manager of an earlier process was doing; before the first state.
  case restored(PreservedCentral)
  case state(AdapterState)
  /// `scan`: the number of the call of `scanForPeripherals`.
  case discovered(DiscoveryEvent, scan: Int)
  /// Also if the connection already existed.
  case connected(KnownPeer, PeerConnection)
  case failedToConnect(PeerIdentifier, EndReason)
  /// The program requested something impossible.
  case refusedToConnect(PeerIdentifier, CBError.Code)
  case disconnected(PeerIdentifier, EndReason)
  case linkChanged(KnownPeer, isConnected: Bool, services: [BLEUUID])
  case rssiUnavailable(PeerIdentifier)
  case soundingUnavailable(PeerIdentifier)
  case peripheral(PeerConnection, RemotePeripheralEvent)
}

/// Events from the loop to a peripheral.
enum RemotePeripheralEvent {
  typealias Answer<Value> = Result<Value, OperationError>

  case services(filter: [BLEUUID]?, Answer<[RemoteService]>)
  case includedServices(CBService, filter: [BLEUUID]?, Answer<[RemoteService]>)
  case characteristics(CBService, filter: [BLEUUID]?, Answer<[RemoteCharacteristic]>)
  case descriptors(CBCharacteristic, Answer<[RemoteDescriptor]>)
  case notified(AttributeHandle, Data)
  case read(CBCharacteristic, Answer<Data>)
  case wrote(CBCharacteristic, OperationError?)
  case notifying(CBCharacteristic, Bool, OperationError?)
  case readDescriptor(CBDescriptor, Answer<Data>)
  case wroteDescriptor(CBDescriptor, OperationError?)
  case rssi(Answer<Int8>)
  case readyToWrite
  case modified(ClosedRange<AttributeHandle>)
  case renamed(String)
  case openedChannel(Answer<ChannelPipe>)
}
