internal import BLEAdapter

/// Events from the loop to a peripheral manager.
enum PeripheralManagerEvent {
  /// What the manager of an earlier process was doing; before the first state.
  case restored(PreservedPeripheral)
  case state(AdapterState)
  case added(CBMutableService, CBError?)
  /// `number`: how often advertising was stopped before the call of `startAdvertising` that this completes.
  case startedAdvertising(number: Int, PublishError?)
  case read(TransactionIdentifier, LocalCharacteristicIdentifier, offset: Int, RemoteCentral)
  case writes(TransactionIdentifier, [LocalWrite], needsResponse: Bool, RemoteCentral)
  case subscribed(RemoteCentral, LocalCharacteristicIdentifier)
  case unsubscribed(RemoteCentral, LocalCharacteristicIdentifier)
  case updated(RemoteCentral)
  case readyToUpdate
  case publishedChannel(CBL2CAPPSM, CBError?)
  case unpublishedChannel(CBL2CAPPSM, CBError?)
  case openedChannel(ChannelPipe, RemoteCentral)
}
