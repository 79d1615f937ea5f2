internal import BLEAdapter
internal import BLECore

/// The state that a central manager leaves for the next process: JSON in the file.
struct PreservedCentral: Codable, Equatable {
  /// A peripheral that was connected, or being connected.
  struct Peer: Codable, Equatable {
    let identifier: UUID
    let name: String?
    let reconnects: Bool
  }

  struct Scan: Codable, Equatable {
    /// `nil`: all.
    let services: [String]?
    let solicitedServices: [String]
    let allowsDuplicates: Bool
  }

  var peers: [Peer] = []
  var scan: Scan?

  var isEmpty: Bool { peers.isEmpty && scan == nil }
}

extension PreservedCentral.Scan {
  init(_ parameters: ScanParameters) {
    services = parameters.services?.map(\.description)
    solicitedServices = parameters.solicitedServices.map(\.description)
    allowsDuplicates = parameters.allowsDuplicates
  }

  var parameters: ScanParameters {
    ScanParameters(
      services: services?.compactMap { BLEUUID($0) }, solicitedServices: solicitedServices.compactMap { BLEUUID($0) },
      allowsDuplicates: allowsDuplicates)
  }

  /// As the program passed them.
  var options: [String: Any] {
    var options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: allowsDuplicates)]
    let solicited = parameters.solicitedServices
    if !solicited.isEmpty {
      options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicited.map { CBUUID($0) }
    }
    return options
  }
}

extension CentralSession {
  /// Reads what an earlier process left under `key`, and preserves from now on what this manager does. Before the role is made,
  /// so that the restored state is delivered first.
  func preserve(as key: PreservationKey) {
    guard let state = adapter.preserveState(of: key) else { return }
    let left: PreservedCentral? = state.decodeLeft()
    state.source = { [weak self] in
      guard let current = self?.current, !current.isEmpty else { return nil }
      return StateCoding.encode(current)
    }
    preserved = state
    if let left, !left.isEmpty { post(.restored(left)) }
  }

  /// The state to preserve.
  private var current: PreservedCentral {
    var current = PreservedCentral()
    for (identifier, standing) in peers {
      let (name, request): (String?, ConnectionRequest)
      switch standing {
      case .wanted(let wanted), .leaving(next: let wanted?): (name, request) = (nil, wanted)
      case .connected(let peer, _, let wanted): (name, request) = (peer.name, wanted)
      case .leaving(next: nil): continue
      }
      current.peers.append(
        .init(
          identifier: UUID(high: identifier.high, low: identifier.low), name: name, reconnects: request.reconnects))
    }
    // Equal states give equal octets.
    current.peers.sort { $0.identifier.uuidString < $1.identifier.uuidString }
    current.scan = scanned.map { .init($0) }
    return current
  }
}
