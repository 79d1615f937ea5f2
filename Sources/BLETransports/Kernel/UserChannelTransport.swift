import BLECore
public import BLEHCI
public import BLEWire
import Glibc

/// A controller of this machine, by the HCI user channel: it is taken from the kernel for this program alone, and given back at the end.
/// Everything on the loop.
///
/// The adapter is switched off through the management interface first, because the kernel gives away only one that is down; when it is
/// given back, or this process ends in whatever way, it is switched on again if it was on before. Needs CAP_NET_ADMIN, which a process of
/// its own keeps from then on: this one has it no longer.
public final class UserChannelTransport: HCITransport {
  /// While bluetoothd runs it switches each adapter on that comes back; meanwhile the channel cannot be opened.
  private static let attempts = 30
  private static let pause = StackDuration.milliseconds(100)

  public let selector: KernelAdapterSelector
  public var name: String { selector.description }
  public var isSimulated: Bool { false }
  public var isReady: Bool { channel != nil }

  private let loop: DispatchStackLoop
  private weak var receiver: (any HCITransportReceiver)?
  private var management: ManagementSocket?
  private var privilege: (any AdapterPrivilege)?
  private var channel: UserChannel?
  /// The adapter that was switched off for this.
  private var switchedOff: UInt16?
  private var attempt = 0
  private var timer = TimerToken()

  public init(_ selector: KernelAdapterSelector, loop: DispatchStackLoop) {
    self.selector = selector
    self.loop = loop
  }

  deinit { giveBack() }

  public func open(receiver: any HCITransportReceiver) throws(TransportError) {
    self.receiver = receiver
    // Before anything that a controller, a daemon or the kernel says is read.
    privilege = try AdapterKeeper.ofThisProcess()
    management = try ManagementSocket(on: loop.queue)
    find()
  }

  public func send(_ packet: HCIPacket) { channel?.send(packet) }

  public func close() {
    receiver = nil
    loop.cancel(timer)
    giveBack()
    management = nil
  }

  private func giveBack() {
    channel?.close()
    channel = nil
    guard let index = switchedOff else { return }
    switchedOff = nil
    privilege?.setPowered(index, true, on: loop.queue) { _ in }
  }

  private func find() {
    management?.send(.readIndexList) { [weak self] answer in
      guard let self else { return }
      let indices = (try? answer.get()).map(KernelAdapter.indices) ?? []
      look(at: indices[...], found: [])
    }
  }

  private func look(at indices: ArraySlice<UInt16>, found: [KernelAdapter]) {
    guard let index = indices.first else { return choose(found) }
    management?.send(.readControllerInformation, index: index) { [weak self] answer in
      let adapter = (try? answer.get()).flatMap { try? KernelAdapter(index: index, information: $0) }
      self?.look(at: indices.dropFirst(), found: found + [adapter].compactMap(\.self))
    }
  }

  private func choose(_ adapters: [KernelAdapter]) {
    guard let adapter = adapters.first(where: selector.matches) else {
      return fail(.noAdapter(selector, among: adapters))
    }
    guard adapter.supportsLowEnergy else {
      return fail(TransportError(.unreachable, "\(name): \(adapter.name) cannot do Bluetooth LE"))
    }
    guard adapter.isPowered else { return take(adapter) }
    guard let privilege else { return }
    privilege.setPowered(adapter.index, false, on: loop.queue) { [weak self, loop] result in
      guard let self, receiver != nil else {
        // Closed meanwhile.
        if case .success(.success) = result { privilege.setPowered(adapter.index, true, on: loop.queue) { _ in } }
        return
      }
      switch result {
      case .success(.success):
        switchedOff = adapter.index
        take(adapter)
      case .success(.permissionDenied): fail(.needsCapability(adapter.name))
      case .success(let status): again(adapter, because: "\(status)")
      case .failure(let error): fail(.cannotTake(adapter, error.number))
      }
    }
  }

  private func take(_ adapter: KernelAdapter) {
    privilege?.open(adapter.index, on: loop.queue) { [weak self] result in
      guard let self, receiver != nil else { return }
      switch result {
      case .success(let descriptor): use(descriptor, of: adapter)
      case .failure(let error) where error.number == EBUSY: again(adapter, because: systemText(EBUSY))
      case .failure(let error): fail(.cannotTake(adapter, error.number))
      }
    }
  }

  private func use(_ descriptor: FileDescriptor, of adapter: KernelAdapter) {
    channel = UserChannel(
      descriptor, on: loop.queue,
      receive: { [weak self] packet in
        guard let self else { return }
        receiver?.transport(self, didReceive: packet)
      },
      end: { [weak self] error in self?.fail(.ended(adapter.name, error)) })
    receiver?.transportIsReady(self)
  }

  /// Something else uses the adapter at this moment, as bluetoothd does with one that has just come back.
  private func again(_ adapter: KernelAdapter, because reason: String) {
    attempt += 1
    guard attempt < Self.attempts else {
      return fail(
        TransportError(
          .unreachable,
          "\(name): \(adapter.name) is in use (\(reason)): stop what uses it: sudo systemctl stop bluetooth"))
    }
    timer = loop.schedule(after: Self.pause, .work) { [weak self] in self?.find() }
  }

  private func fail(_ error: TransportError) {
    let receiver = receiver
    close()
    receiver?.transport(self, didFail: error)
  }
}
