import BLECore
public import BLEHCI
public import BLEWire
import Glibc

/// A controller of this machine, by the HCI user channel: it is taken from the kernel for this program alone, and returned at the
/// end. Everything on the loop.
///
/// The adapter is first switched off through the management interface, because the kernel only releases one that is down. When it
/// is returned, or this process ends in any way, it is switched on again if it was on before. Needs CAP_NET_ADMIN, which a
/// separate process keeps from then on: this one no longer has it.
///
/// If the adapter is absent, blocked by rfkill or in use, the transport waits for it. Removal of an adapter in use ends the
/// transport; the next one waits for its return.
public final class UserChannelTransport: HCITransport {
  public let selector: KernelAdapterSelector
  public var name: String { selector.description }
  public var isSimulated: Bool { false }
  public var isReady: Bool { channel != nil }
  public var comesBack: Bool { true }

  private let loop: DispatchStackLoop
  private let kernel: BluetoothKernel
  private weak var receiver: (any HCITransportReceiver)?
  private var privilege: (any AdapterPrivilege)?
  private var search: AdapterSearch?
  private var channel: UserChannel?
  /// The adapter that was switched off for this.
  private var switchedOff: UInt16?

  public convenience init(_ selector: KernelAdapterSelector, loop: DispatchStackLoop) {
    self.init(selector, loop: loop, kernel: .ofThisMachine)
  }

  init(_ selector: KernelAdapterSelector, loop: DispatchStackLoop, kernel: BluetoothKernel) {
    self.selector = selector
    self.loop = loop
    self.kernel = kernel
  }

  deinit { giveBack() }

  public func open(receiver: any HCITransportReceiver) throws(TransportError) {
    self.receiver = receiver
    // Before any data of a controller, a daemon or the kernel is read.
    let privilege = try kernel.privilege()
    self.privilege = privilege
    let search = try AdapterSearch(selector, loop: loop, kernel: kernel, privilege: privilege) { [weak self] in
      self?.proceed($0)
    }
    self.search = search
    search.begin()
  }

  public func send(_ packet: HCIPacket) { channel?.send(packet) }

  public func close() {
    receiver = nil
    giveBack()
  }

  private func proceed(_ outcome: AdapterSearch.Outcome) {
    switch outcome {
    case .taken(let adapter, let descriptor, let wasPowered):
      search = nil
      if wasPowered { switchedOff = adapter.index }
      use(descriptor, of: adapter)
    case .waiting(let cause): receiver?.transport(self, waitsBecause: cause)
    case .failed(let error): fail(error)
    }
  }

  private func use(_ descriptor: FileDescriptor, of adapter: KernelAdapter) {
    channel = UserChannel(
      descriptor, on: loop.queue,
      receive: { [weak self] packet in
        guard let self else { return }
        receiver?.transport(self, didReceive: packet)
      },
      end: { [weak self] error in self?.ended(adapter, error) })
    receiver?.transportIsReady(self)
  }

  private func ended(_ adapter: KernelAdapter, _ error: Int32) {
    // The next adapter with this index may be another one, which was not switched off.
    if UserChannel.isRemoval(error), switchedOff != nil {
      switchedOff = nil
      privilege?.forget(adapter.index)
    }
    fail(.ended(adapter.name, error))
  }

  private func giveBack() {
    search?.stop()
    search = nil
    channel?.close()
    channel = nil
    guard let index = switchedOff else { return }
    switchedOff = nil
    privilege?.setPowered(index, true, on: loop.queue) { _ in }
  }

  private func fail(_ error: TransportError) {
    let receiver = receiver
    close()
    receiver?.transport(self, didFail: error)
  }
}
