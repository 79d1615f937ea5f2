import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEFaults
import BLEHost
import BLEPairing
import BLEProfileFiles
import BLEVirtualRadio
import BLEWeb
import CoreBluetooth
import Foundation
import Synchronization

/// An air in this process with the devices of `DemoDevice.all` and the explorer's own radio; its time can be stopped and hurried.
final class DemoWorld: Sendable {
  private struct State {
    var isRunning = true
    var speed = 1.0
    var loss = 0.0
    /// Continued when time passes again.
    var resting: CheckedContinuation<Void, Never>?
    var isOver = false
    /// Called with the device and the fault when one strikes.
    var strikes: (@Sendable (String, String) -> Void)?
  }

  private let loop = VirtualLoop()
  private let air: LoopBound<Air>
  private let explorer: DemoRadio
  private let devices: [(radio: DemoRadio, device: DemoDevice)]
  private let state = Mutex(State())

  /// The explorer's name on the map.
  static let explorerName = "Explorer"

  init() {
    let air = Air(loop: loop, seed: SystemEntropy().next())
    self.air = LoopBound(air)
    explorer = DemoRadio(Self.explorerName, number: 0, at: (0, 0), on: self.air, loop, keepsPackets: true)
    devices = DemoDevice.all.enumerated().map { [loop, carried = self.air] index, device in
      let radio = DemoRadio(device.name, number: index + 1, at: device.position, on: carried, loop)
      if let data = device.manufacturerData { radio.stack.setManufacturerData(data) }
      radio.stack.setPairingAgent(DemoAgent(capability: device.capability))
      if let passkey = device.passkey, let digits = SixDigits(passkey) {
        var policy = SecurityPolicy()
        policy.fixedPasskey = digits
        radio.stack.setSecurityPolicy(policy)
      }
      return (radio, device)
    }
  }

  /// The explorer's own.
  var adapter: any Adapter { explorer.stack }
  var packets: RecentPackets? { explorer.packets }
  /// The options of the explorer's managers.
  var options: [String: Any] { [CBManagerOptionAdapterKey: adapter] }
  var clock: DemoClock { DemoClock(VirtualClock(loop: loop)) }

  /// The address of a device on this air.
  func address(of identifier: UUID) -> DeviceAddress? {
    explorer.stack.knownPeers([PeerIdentifier(identifier)]).first?.address
  }

  func maximumTransmissionUnit(with identifier: UUID) -> Int? {
    explorer.stack.maximumTransmissionUnit(with: PeerIdentifier(identifier))
  }

  /// Publishes the devices and lets time pass until it is cancelled.
  @MainActor func run() async {
    let peripherals = devices.map { radio, device in
      ProfilePeripheral(device.profile, options: [CBManagerOptionAdapterKey: radio.stack as any Adapter], clock: clock)
      { _ in }
    }
    for peripheral in peripherals { peripheral.start() }
    let channels = devices.filter(\.device.hasChannel).map { radio, _ in
      DemoChannel(options: [CBManagerOptionAdapterKey: radio.stack as any Adapter], clock: clock)
    }
    // They need time to pass, which begins below.
    let publishing = Task { for channel in channels { try await channel.publish() } }
    defer { publishing.cancel() }
    await withTaskCancellationHandler {
      while !Task.isCancelled {
        let speed = state.withLock { $0.isRunning ? $0.speed : nil }
        if let speed { await pass(.milliseconds(Int64(50 * speed)), speed: speed) } else { await rest() }
      }
    } onCancel: {
      wake { $0.isOver = true }
    }
    withExtendedLifetime((peripherals, channels)) {}
  }

  /// - Parameter speed: `nil`: as fast as the machine can.
  private func pass(_ duration: StackDuration, speed: Double?) async {
    loop.setPace(speed)
    await loop.run(until: .instant(loop.now + duration))
  }

  private func rest() async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.isRunning || state.isOver { return true }
        state.resting = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let resting = state.withLock { state in
      change(&state)
      guard state.isRunning || state.isOver else { return nil as CheckedContinuation<Void, Never>? }
      defer { state.resting = nil }
      return state.resting
    }
    resting?.resume()
  }
}

extension DemoWorld: RadioControl {
  func scene() async -> RadioScene {
    let (isRunning, speed, loss) = state.withLock { ($0.isRunning, $0.speed, $0.loss) }
    let place = explorer.place
    let all =
      [(radio: explorer, kind: "this program", isExplorer: true)] + devices.map { ($0.radio, $0.device.kind, false) }
    return RadioScene(
      time: .nanoseconds(loop.now.nanoseconds), isRunning: isRunning, speed: speed, loss: loss,
      devices: all.map { radio, kind, isExplorer in
        let own = radio.place
        return RadioScene.Device(
          name: radio.name, kind: kind, x: own.position.x, y: own.position.y, isOn: own.isOn, isExplorer: isExplorer,
          distance: own.position.distance(to: place.position),
          faults: own.faults.map { RadioScene.Fault(words: $0.words, sentence: $0.description) },
          strikes: own.strikes)
      })
  }

  func set(isRunning: Bool?, speed: Double?, loss: Double?) async {
    wake { state in
      if let isRunning { state.isRunning = isRunning }
      if let speed { state.speed = speed }
      if let loss { state.loss = loss }
    }
    if let loss {
      loop.submit(from: .common) { [air] in air.value.setLoss(loss > 0 ? .independent(rate: loss) : .sensitivity) }
    }
  }

  func step(by duration: Duration) async {
    guard state.withLock({ !$0.isRunning && !$0.isOver }) else { return }
    await pass(StackDuration(duration), speed: nil)
  }

  func setDevice(_ name: String, x: Double?, y: Double?, isOn: Bool?) async -> Bool {
    guard let radio = radio(named: name) else { return false }
    radio.set(x: x, y: y, isOn: isOn)
    return true
  }

  private func radio(named name: String) -> DemoRadio? {
    ([explorer] + devices.map(\.radio)).first { $0.name == name }
  }

  func setFaults(_ name: String, _ texts: [String]) async throws(RadioControlError) -> Bool {
    var (faults, mistakes): ([Fault], [String]) = ([], [])
    for (index, text) in texts.enumerated() {
      do throws(FaultFileError) {
        let fault = try Fault(text: text, name: "line \(index + 1)")
        if case .controller = fault.action { mistakes.append("line \(index + 1): only a test kit's device has it") }
        faults.append(fault)
      } catch {
        mistakes += error.lines
      }
    }
    guard mistakes.isEmpty else { throw RadioControlError(mistakes.joined(separator: "\n")) }
    guard let radio = radio(named: name) else { return false }
    radio.setFaults(faults) { [weak self] fault in
      self?.state.withLock(\.strikes)?(name, fault.description)
    }
    return true
  }

  func observeFaults(_ strikes: @escaping @Sendable (String, String) -> Void) {
    state.withLock { $0.strikes = strikes }
  }
}

/// A device whose user agrees to everything.
private final class DemoAgent: PairingAgent {
  let capability: PairingCapability

  init(capability: PairingCapability) { self.capability = capability }

  func pairing(_ request: PairingRequest) { request.accept() }
}
