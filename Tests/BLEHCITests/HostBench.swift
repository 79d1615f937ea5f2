import BLECore
import BLEHCI
import BLEWire

/// A controller object on scripted controllers, and its events.
final class HostBench {
  let loop = VirtualLoop()
  let controller: HCIController
  let heard = Heard()
  private let chips: Chips

  /// Prepares each scripted controller before it is opened; the number counts from 0.
  init(
    configuration: HCIController.Configuration = .init(),
    prepare: @escaping (ScriptedController, Int) -> Void = { _, _ in }
  ) {
    let chips = Chips()
    self.chips = chips
    controller = HCIController(loop: loop, configuration: configuration) { [loop] () throws(TransportError) in
      let chip = ScriptedController(loop: loop)
      prepare(chip, chips.all.count)
      chips.all.append(chip)
      return chip
    }
    controller.delegate = heard
  }

  /// The controller that was opened last.
  var chip: ScriptedController { chips.all[chips.all.count - 1] }
  var chipCount: Int { chips.all.count }

  func settle(_ limit: StackDuration = .seconds(3_600)) async {
    await loop.run(until: .quiet(limit: loop.now + limit))
  }

  func advance(_ time: StackDuration) async {
    await loop.run(until: .instant(loop.now + time))
  }

  /// Started and ready.
  func start() async {
    controller.start()
    await settle()
    chip.forgetSent()
  }

  /// The same, started and ready.
  static func started(
    prepare: @escaping (ScriptedController, Int) -> Void = { _, _ in }
  ) async -> HostBench {
    let bench = HostBench(prepare: prepare)
    await bench.start()
    return bench
  }

  /// A link whose pieces are recorded.
  func connect(_ handle: UInt16) -> (link: HCILink, received: Received)? {
    chip.connect(handle)
    guard let link = controller.link(ConnectionHandle(handle)) else { return nil }
    let received = Received()
    link.receiver = received
    return (link, received)
  }

  private final class Chips {
    var all: [ScriptedController] = []
  }
}

final class Heard: HCIControllerDelegate {
  var states: [HCIControllerState] = []
  var events: [HCIEvent] = []
  /// Called with each event, as a host that acts at once.
  var onEvent: ((HCIEvent) -> Void)?

  func controller(_ controller: HCIController, didChange state: HCIControllerState) { states.append(state) }
  func controller(_ controller: HCIController, didReceive event: HCIEvent) {
    events.append(event)
    onEvent?(event)
  }

  var failures: [HCIFailure] {
    states.compactMap { if case .resetting(let failure) = $0 { failure } else { nil } }
  }
}

final class Received: HCILinkReceiver {
  var packets: [HCIACLPacket] = []
  var tokens: [UInt64] = []

  func link(_ link: HCILink, didReceive packet: HCIACLPacket) { packets.append(packet) }
  func link(_ link: HCILink, didHandOver token: UInt64) { tokens.append(token) }
}

/// A frame of `count` octets, numbered from 1.
func frame(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) }
}
