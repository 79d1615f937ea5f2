import BLEAdapter
import BLECapture
import BLECore
import BLEHCI
import BLEHost
import BLEState
import BLETransports
import BLEVirtualRadio

#if BlueZ
  import BLEBlueZ
#endif

/// Makes the stack for the name of an adapter.
struct StackMaker {
  let surroundings: Surroundings
  let log: Logger

  /// - Parameters:
  ///   - recording: the parts of the traffic to record.
  ///   - keepsPackets: whether the last packets are kept in memory.
  func make(_ name: AdapterName, recording paths: RecordingPaths, keepsPackets: Bool = false) -> MadeStack {
    let loop: DispatchStackLoop
    // Only a simulated controller can follow a clock other than the machine's.
    if case .radio = name { loop = DispatchStackLoop(speed: radioSpeed) } else { loop = DispatchStackLoop() }
    let recording = record(paths, of: name, loop)
    let store = FilePeerStore(folder: surroundings.stateFolder, entropy: SystemEntropy(), log: log.labelled("peers"))
    let bonds = surroundings.bondStore(log.labelled("bonds"))
    var options = HostOptions(name: Surroundings.programName, nameFollowsAdvertisement: true)
    options.searchPHYs = searchPHYs
    let makeTransport: HCIController.TransportFactory
    switch name {
    case .radio(let air, let device):
      let place = RadioPlace(
        air: air, device: device, stateFolder: surroundings.stateFolder, loop: loop, log: log.labelled("radio"),
        tap: recording?.air)
      makeTransport = { () throws(TransportError) in try place.makeTransport() }
    case .tcpClient(let host, let port): makeTransport = h4(.tcpClient(host: host, port: port), loop)
    case .tcpServer(let host, let port):
      makeTransport = h4(.tcpServer(host: host, port: port, allowsRemote: false), loop)
    case .unixClient(let path): makeTransport = h4(.unixClient(path: path), loop)
    case .unixServer(let path): makeTransport = h4(.unixServer(path: path), loop)
    case .hci(let which):
      makeTransport = { () throws(TransportError) in
        UserChannelTransport(KernelAdapterSelector(which) ?? .any, loop: loop)
      }
    case .serial(let path, let speed): makeTransport = h4(.serial(path: path, speed: speed), loop)
    case .bluez(let which):
      if surroundings.environment("BLE_RULES") != nil {
        log.log(.error, "BLE_RULES: programs on an adapter of BlueZ's are not judged")
      }
      return MadeStack(
        stack: bluez(name, which, loop, store), recording: nil, recentPackets: nil, rules: nil)
    }
    // Another device may use this controller next time: the random address belongs to the device.
    if case .radio = name {} else { options.randomAddressName = name.description }
    if case .radio = name {
    } else if paths.air != nil {
      log.log(.error, "BLE_CAPTURE_AIR: only the embedded radio records its air, not \(name)")
    }
    let recentPackets = keepsPackets ? RecentPackets(origin: .now(on: loop)) : nil
    let stack = HostStack(
      loop: loop, options: options, entropy: SystemEntropy(), peerStore: store, bondStore: bonds,
      stateStore: states(of: name, store, loop),
      log: log, tap: TapGroup.of([recording?.tap, recentPackets]),
      makeTransport: makeTransport)
    let rules = ProcessRules(
      surroundings.environment("BLE_RULES"), program: Surroundings.programName, loop: loop, log: log)
    stack.programObserver = rules
    return MadeStack(
      stack: stack, recording: recording.map { LoopBound($0) }, recentPackets: recentPackets, rules: rules)
  }

  /// An adapter that cannot be used; its state is `unsupported`, and the reason is logged.
  func unsupported(_ reason: String) -> HostStack {
    HostStack(
      loop: DispatchStackLoop(), entropy: SystemEntropy(), peerStore: MemoryPeerStore(entropy: SystemEntropy()),
      log: log
    ) { () throws(TransportError) in throw TransportError(.invalidName, reason) }
  }

  private func bluez(
    _ name: AdapterName, _ which: String?, _ loop: DispatchStackLoop, _ store: FilePeerStore
  ) -> any OwnedAdapter {
    #if BlueZ
      return BlueZAdapter(
        adapter: which, loop: loop, peerStore: store, stateStore: states(of: name, store, loop),
        log: log.labelled("bluez"))
    #else
      return unsupported("\(name): built without BlueZ; --adapter hci takes the adapter for this program alone")
    #endif
  }

  /// The states that managers with a restore identifier leave for the next process.
  private func states(of name: AdapterName, _ store: FilePeerStore, _ loop: DispatchStackLoop) -> FileStateStore {
    FileStateStore(
      folder: surroundings.stateFolder + "/managers", program: Surroundings.programPath, adapter: name.description,
      peers: store, loop: loop, log: log.labelled("state"))
  }

  /// An invalid value does not disable Bluetooth.
  private var searchPHYs: SearchPHYs {
    switch surroundings.searchPHYs {
    case .success(let phys): return phys
    case .failure(let mistake):
      log.log(.error, mistake.description)
      return .le1M
    }
  }

  /// An invalid value does not disable Bluetooth.
  private var radioSpeed: Int {
    switch surroundings.radioSpeed {
    case .success(let speed): return speed
    case .failure(let mistake):
      log.log(.error, mistake.description)
      return 1
    }
  }

  /// A capture that cannot be written does not disable Bluetooth.
  private func record(_ paths: RecordingPaths, of name: AdapterName, _ loop: DispatchStackLoop) -> Recording? {
    if case .bluez = name {
      if paths.capture != nil || paths.keys != nil {
        log.log(.error, "BLE_CAPTURE: \(name): the controller's traffic is with BlueZ's daemon: btmon records it")
      }
      return nil
    }
    do throws(CaptureError) {
      return try Recording(paths, on: loop, log: log.labelled("capture"))
    } catch {
      log.log(.error, "BLE_CAPTURE: \(error)")
      return nil
    }
  }

  private func h4(_ endpoint: H4Transport.Endpoint, _ loop: DispatchStackLoop) -> HCIController.TransportFactory {
    { () throws(TransportError) in H4Transport(endpoint, loop: loop) }
  }
}

/// A stack, and the recording of its traffic if there is one.
struct MadeStack {
  let stack: any OwnedAdapter
  let recording: LoopBound<Recording>?
  let recentPackets: RecentPackets?
  let rules: ProcessRules?
}
