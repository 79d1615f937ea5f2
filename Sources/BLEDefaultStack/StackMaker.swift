import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLETransports
import BLEVirtualRadio

/// Makes the stack that belongs to the name of an adapter.
struct StackMaker {
  let surroundings: Surroundings
  let log: Logger

  func make(_ name: AdapterName) -> HostStack {
    let loop = DispatchStackLoop()
    let store = FilePeerStore(folder: surroundings.stateFolder, entropy: SystemEntropy(), log: log.labelled("peers"))
    return HostStack(loop: loop, entropy: SystemEntropy(), peerStore: store, log: log) {
      () throws(TransportError) in
      throw TransportError(.unreachable, "\(name): this build cannot reach it")
    }
  }
}
