import BLECore
import BLEHCI
import Glibc

/// Looks for an adapter of this machine, switches it off if it is on, and takes it from the kernel. If it is not available, waits
/// for an event that may change that. Everything on the loop.
final class AdapterSearch {
  enum Outcome {
    /// The search has ended. `wasPowered` if the adapter was on, and was switched off for this.
    case taken(KernelAdapter, FileDescriptor, wasPowered: Bool)
    /// The adapter is not available; reported again when the cause changes.
    case waiting(TransportError)
    /// The adapter can never be available; the search has ended.
    case failed(TransportError)
  }

  /// While bluetoothd runs it switches on each adapter that appears; until that is complete the channel cannot be opened.
  static let attempts = 30
  private static let pause = StackDuration.milliseconds(100)
  /// The waiting times where no event reports a change: doubled each time, up to the second.
  private static let delays = (first: StackDuration.seconds(1), longest: StackDuration.seconds(30))

  private let selector: KernelAdapterSelector
  private let loop: DispatchStackLoop
  private let kernel: BluetoothKernel
  private let privilege: any AdapterPrivilege
  private let management: ManagementSocket
  private let tell: (Outcome) -> Void
  private var isOver = false
  private var isLooking = false
  /// Something has changed since the last look.
  private var isStale = false
  private var attempt = 0
  private var delay = AdapterSearch.delays.first
  private var timer = TimerToken()
  private var toldCause: TransportError?
  private var switches: RadioSwitches?
  /// The kernel's refusal. For each adapter that it refuses it reports a removal and an addition: these are no reason to try again.
  private var refusal: Refusal?
  /// An adapter that was switched off and is not taken yet.
  private var switchedOff: UInt16?

  private struct Refusal {
    let adapter: KernelAdapter
    let cause: TransportError
    /// Whether an event reports when to try again.
    let isTold: Bool

    func concerns(_ other: KernelAdapter) -> Bool { adapter.index == other.index && adapter.address == other.address }
  }

  init(
    _ selector: KernelAdapterSelector, loop: DispatchStackLoop, kernel: BluetoothKernel,
    privilege: any AdapterPrivilege, tell: @escaping (Outcome) -> Void
  ) throws(TransportError) {
    self.selector = selector
    self.loop = loop
    self.kernel = kernel
    self.privilege = privilege
    self.tell = tell
    management = ManagementSocket(try kernel.openManagement(), on: loop.queue)
    management.onEvent = { [weak self] message in
      switch ManagementEvent(rawValue: message.code) {
      // An adapter that a program uses by the user channel is reported as removed to all others, and as added when that program closes it.
      case .indexAdded, .indexRemoved: self?.somethingChanged()
      default: break
      }
    }
  }

  deinit { stop() }

  func begin() { find() }

  /// Switches on what was switched off.
  func stop() {
    isOver = true
    loop.cancel(timer)
    switches = nil
    giveBack()
  }

  private func giveBack() {
    guard let index = switchedOff else { return }
    switchedOff = nil
    privilege.setPowered(index, true, on: loop.queue) { _ in }
  }

  private func somethingChanged() {
    if isLooking { isStale = true } else { find() }
  }

  // MARK: Looking

  private func find() {
    guard !isOver else { return }
    loop.cancel(timer)
    isLooking = true
    management.send(.readIndexList) { [weak self] answer in
      let indices = (try? answer.get()).map(KernelAdapter.indices) ?? []
      self?.look(at: indices[...], found: [])
    }
  }

  private func look(at indices: ArraySlice<UInt16>, found: [KernelAdapter]) {
    guard !isOver else { return }
    guard let index = indices.first else { return choose(found) }
    management.send(.readControllerInformation, index: index) { [weak self] answer in
      // An adapter that was removed between the two requests is left out.
      let adapter = (try? answer.get()).flatMap { try? KernelAdapter(index: index, information: $0) }
      self?.look(at: indices.dropFirst(), found: found + [adapter].compactMap(\.self))
    }
  }

  private func choose(_ adapters: [KernelAdapter]) {
    guard let adapter = adapters.first(where: selector.matches) else {
      return management.send(.readUnconfiguredIndexList) { [weak self] answer in
        guard let self else { return }
        let unconfigured = (try? answer.get()).map(KernelAdapter.indices) ?? []
        wait(.noAdapter(selector, among: adapters, unconfigured: unconfigured))
      }
    }
    guard adapter.supportsLowEnergy else {
      return fail(TransportError(.unsuitable, "\(selector): \(adapter.name) cannot do Bluetooth LE"))
    }
    if let refusal, refusal.concerns(adapter) { return wait(refusal.cause, refusal) }
    refusal = nil
    if adapter.isPowered { switchOff(adapter) } else { take(adapter) }
  }

  // MARK: Taking

  private func switchOff(_ adapter: KernelAdapter) {
    privilege.setPowered(adapter.index, false, on: loop.queue) { [weak self, privilege, loop] result in
      let isOff = if case .success(.success) = result { true } else { false }
      guard let self, !isOver else {
        if isOff { privilege.setPowered(adapter.index, true, on: loop.queue) { _ in } }
        return
      }
      switch result {
      case .success(.success):
        switchedOff = adapter.index
        take(adapter)
      case .success(.permissionDenied): fail(.needsCapability(adapter.name))
      case .success(.blockedByRFKill): refused(adapter, ERFKILL)
      case .success(let status): again(adapter, nil, because: "\(status)")
      case .failure(let error): refused(adapter, error.number)
      }
    }
  }

  private func take(_ adapter: KernelAdapter) {
    privilege.open(adapter.index, on: loop.queue) { [weak self] result in
      guard let self, !isOver else { return }
      switch result {
      case .success(let descriptor):
        let wasPowered = switchedOff == adapter.index
        switchedOff = nil
        stop()
        tell(.taken(adapter, descriptor, wasPowered: wasPowered))
      case .failure(let error): refused(adapter, error.number)
      }
    }
  }

  private func refused(_ adapter: KernelAdapter, _ error: Int32) {
    switch error {
    case EBUSY, EALREADY, ENODEV: again(adapter, error, because: systemText(error))
    // In this case the kernel reports nothing until that program closes the channel.
    case EUSERS: wait(.cannotTake(adapter, error))
    case ERFKILL: refused(adapter, .blocked(adapter, kernel.blockage(adapter.name)), isTold: true)
    case EADDRNOTAVAIL: refused(adapter, .cannotTake(adapter, error), isTold: true)
    default: fail(.cannotTake(adapter, error))
    }
  }

  /// Another program uses the adapter at the moment, as bluetoothd does with one that has just appeared.
  private func again(_ adapter: KernelAdapter, _ error: Int32?, because reason: String) {
    attempt += 1
    guard attempt < Self.attempts else {
      return refused(adapter, .stillBusy(selector, adapter, error, reason), isTold: false)
    }
    timer = loop.schedule(after: Self.pause, .work) { [weak self] in self?.find() }
  }

  private func fail(_ error: TransportError) {
    stop()
    tell(.failed(error))
  }

  // MARK: Waiting

  private func refused(_ adapter: KernelAdapter, _ cause: TransportError, isTold: Bool) {
    wait(cause, Refusal(adapter: adapter, cause: cause, isTold: isTold))
  }

  private func wait(_ cause: TransportError, _ refusal: Refusal? = nil) {
    guard !isOver else { return }
    isLooking = false
    attempt = 0
    self.refusal = refusal
    giveBack()
    if toldCause != cause {
      toldCause = cause
      tell(.waiting(cause))
      guard !isOver else { return }
    }
    switches = cause.kind == .switchedOff ? switches ?? openSwitches() : nil
    if isStale {
      isStale = false
      find()
    } else if refusal?.isTold == false || cause.kind == .switchedOff && switches == nil {
      lookLater()
    }
  }

  private func openSwitches() -> RadioSwitches? {
    kernel.openSwitches().map { descriptor in
      RadioSwitches(descriptor, on: loop.queue) { [weak self] in
        self?.refusal = nil
        self?.somethingChanged()
      }
    }
  }

  private func lookLater() {
    timer = loop.schedule(after: delay, .background) { [weak self] in
      self?.refusal = nil
      self?.find()
    }
    delay = min(delay * 2, Self.delays.longest)
  }
}
