import BLEAdapter
import BLECore
import BLEHost
import BLEState
import CoreBluetooth

extension Fuzzer {
  /// The file that keeps the peers. Those that were read are there again when one more is kept.
  static let peers = Fuzzer(name: "peers") { octets in
    func store() -> FilePeerStore {
      FilePeerStore(folder: Scratch.folder, entropy: SeededEntropy(seed: 1), log: .silent)
    }
    Scratch.write(octets, to: "peers")
    let first = store()
    let read = first.open()
    let added = KnownPeer(
      identifier: PeerIdentifier(high: 1, low: 2), address: DeviceAddress(3, kind: .public), name: "a b%\n")
    first.remember(added)
    first.flush()
    let again = store().open()
    // What is no peer file is left as it is.
    guard octets.starts(with: "swift-corebluetooth peers".utf8), again.key == read.key, again.peers.contains(added)
    else { return }
    require(Set(read.peers).isSubset(of: again.peers), "a peer is lost, or read otherwise than before")
  } seeds: {
    let header = "swift-corebluetooth peers 1 000102030405060708090a0b0c0d0e0f\n"
    let line = "0123456789abcdef0123456789abcdef public c00000000001 name%20 00000000\n"
    return [header, header + line, header + line + line + "half"].map { Array($0.utf8) }
  }

  /// What an earlier process left of a manager. It is taken up or put away, and what is left then can be taken up.
  static let preservedState = Fuzzer(name: "preserved-state") { octets in
    guard let next = restore(octets) else { return }
    require(restore(next) != nil, "a state that was written is not taken up")
  } seeds: {
    [
      #"{"peers":[{"identifier":"00000000-0000-4000-8000-000000000001","name":"a","reconnects":true}],"scan":{"services":["180D"],"solicitedServices":[],"allowsDuplicates":true}}"#,
      #"{"peers":[],"scan":{"solicitedServices":["6E400001-B5A3-F393-E0A9-E50E24DCCA9E"],"allowsDuplicates":false}}"#,
      #"{"services":[{"uuid":"180F","isPrimary":true,"included":[],"handle":16,"characteristics":[{"uuid":"2A19","properties":18,"permissions":1,"value":"ZA==","descriptors":[{"uuid":"2901","value":"YQ=="}],"subscribers":[{"identifier":"00000000-0000-4000-8000-000000000001","maximumUpdateValueLength":20}]}]},{"uuid":"180D","isPrimary":true,"included":[0],"characteristics":[]}],"advertisement":{"localName":"a","services":["180F"]}}"#,
    ].map { Array($0.utf8) }
  }

  /// Brings both managers up with `left`; what the first that took it up leaves in its turn, `nil` where neither did.
  private static func restore(_ left: [UInt8]) -> [UInt8]? {
    let loop = FuzzLoop()
    let transport = FuzzController()
    let entropy = SeededEntropy(seed: 1)
    let states = LeftStates(left)
    let stack = HostStack(
      loop: loop, entropy: entropy, peerStore: MemoryPeerStore(entropy: entropy), stateStore: states
    ) { transport }
    stack.start()
    let queue = DispatchQueue(label: "fuzz")
    let taken = leave(stack, loop, states, queue)
    // The managers are released; what they have left to their queue may be the last to hold the stack.
    queue.sync {}
    stack.shutDown {}
    loop.advance(by: .seconds(1))
    return taken
  }

  /// What two managers leave that are released by the end of this call.
  private static func leave(
    _ stack: HostStack, _ loop: FuzzLoop, _ states: LeftStates, _ queue: DispatchQueue
  ) -> [UInt8]? {
    let program = RestoredProgram()
    let adapter: [String: Any] = [CBManagerOptionAdapterKey: stack as any Adapter]
    let central = CBCentralManager(
      delegate: program, queue: queue,
      options: adapter.merging([CBCentralManagerOptionRestoreIdentifierKey: "fuzz"]) { $1 })
    let peripheral = CBPeripheralManager(
      delegate: program, queue: queue,
      options: adapter.merging([CBPeripheralManagerOptionRestoreIdentifierKey: "fuzz"]) { $1 })
    loop.advance(by: .milliseconds(50))
    let taken = states.made.first { !$0.isSetAside && $0.source?() != nil }
    return withExtendedLifetime((central, peripheral, program)) { taken?.source?() }
  }
}

/// A store in which the same is left for everybody.
private final class LeftStates: StateStore {
  final class State: PreservedState {
    let left: [UInt8]?
    var source: (() -> [UInt8]?)?
    private(set) var isSetAside = false
    init(_ left: [UInt8]) { self.left = left }
    func setChanged() {}
    func setAside(because reason: String) { isSetAside = true }
    func end() {}
  }

  private let left: [UInt8]
  private(set) var made: [State] = []
  init(_ left: [UInt8]) { self.left = left }

  func claim(_ key: PreservationKey) -> (any PreservedState)? {
    let state = State(left)
    made.append(state)
    return state
  }
  func flush(_ completion: @escaping () -> Void) { completion() }
}

/// Looks at all that it is handed.
private final class RestoredProgram: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate,
  @unchecked Sendable
{
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    for peripheral in dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [] {
      _ = (peripheral.identifier, peripheral.name, peripheral.state, peripheral.description)
    }
  }
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    for service in dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? [] {
      for characteristic in service.characteristics ?? [] {
        _ = (characteristic.uuid.uuidString, characteristic.value, characteristic.descriptors?.count)
      }
    }
  }
}
