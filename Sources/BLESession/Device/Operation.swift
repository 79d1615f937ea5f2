import CoreBluetooth

/// One operation on a connected device. One is in progress at a time; the others wait, also for a reconnection.
package final class Operation {
  package enum Kind {
    case read(CharacteristicPath, Reply<Data>)
    case write(CharacteristicPath, Data, Reply<Void>)
    case writeWithoutResponse(CharacteristicPath, Data, Reply<Void>)
    case notify(CharacteristicPath, Bool, Reply<Void>)
  }

  let kind: Kind
  /// The characteristic of the operation, while it is in progress.
  var characteristic: CBCharacteristic?

  init(_ kind: Kind) { self.kind = kind }

  var path: CharacteristicPath {
    switch kind {
    case .read(let path, _), .write(let path, _, _), .writeWithoutResponse(let path, _, _), .notify(let path, _, _):
      path
    }
  }

  /// Whether the caller was answered already or has cancelled.
  var isOver: Bool {
    switch kind {
    case .read(_, let reply): reply.isOver
    case .write(_, _, let reply), .writeWithoutResponse(_, _, let reply), .notify(_, _, let reply): reply.isOver
    }
  }

  func fail(_ error: SessionError) {
    switch kind {
    case .read(_, let reply): reply.fail(error)
    case .write(_, _, let reply), .writeWithoutResponse(_, _, let reply), .notify(_, _, let reply): reply.fail(error)
    }
  }
}
