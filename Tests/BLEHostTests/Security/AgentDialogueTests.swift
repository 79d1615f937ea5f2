import BLECore
import BLEPairing
import Dispatch
import Synchronization
import Testing

@testable import BLEHost

@Suite struct AgentDialogueTests {
  /// Records its calls, in one line.
  private final class Listener: PairingAgent {
    let heard = Mutex<[String]>([])
    var capability: PairingCapability { .displayOnly }
    func pairing(_ request: PairingRequest) {}
    func pairing(with peer: PairingPeer, typed keypress: PairingKeypress) {
      heard.withLock { $0.append("\(keypress)") }
    }
    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) { heard.withLock { $0.append("ended") } }
  }

  @Test("S11 keypresses that come while the agent is busy do not pile up, and the first ones come in order")
  func manyKeypresses() async {
    let loop = VirtualLoop()
    let agent = Listener()
    let dialogue = AgentDialogue(
      agent: agent, loop: loop, origin: loop.makeOrigin(), queue: DispatchQueue(label: "agents"))
    let peer = PairingPeer(address: DeviceAddress(1, kind: .public), name: nil)
    // Neither a run of the loop nor a call of the agent comes in between.
    dialogue.notify(.started, of: peer)
    for _ in 0..<10_000 { dialogue.notify(.digitEntered, of: peer) }
    dialogue.notify { $0.pairingEnded(with: peer, .failed("")) }
    await loop.run(until: .instant(loop.now))
    let digits = [String](repeating: "digitEntered", count: AgentDialogue.keypressLimit - 1)
    #expect(agent.heard.withLock { $0 } == ["started"] + digits + ["ended"])
    // When it has handled them it gets further ones.
    dialogue.notify(.completed, of: peer)
    await loop.run(until: .instant(loop.now))
    #expect(agent.heard.withLock { $0.last } == "completed")
  }
}
