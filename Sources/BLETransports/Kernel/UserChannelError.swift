import BLEHCI
import Glibc

extension TransportError {
  static func noAdapter(
    _ selector: KernelAdapterSelector, among adapters: [KernelAdapter], unconfigured: [UInt16]
  ) -> TransportError {
    let unready = unconfigured.map { "hci\($0)" }
    let free = Set(adapters.map(\.name) + unready)
    // An adapter in use by the user channel is in the system, but not among those that the kernel manages.
    let taken = SystemFiles.names(in: "/sys/class/bluetooth").filter { !$0.contains(":") && !free.contains($0) }
    var parts: [String] = []
    if free.isEmpty && taken.isEmpty {
      parts.append("this machine has no Bluetooth adapter: plug one in")
    }
    if !adapters.isEmpty {
      parts.append("the adapters here are \(adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", "))")
    }
    for name in unready { parts.append(unconfiguredText(name)) }
    if !taken.isEmpty {
      parts.append(
        "another program has \(taken.joined(separator: ", ")) by the user channel\(UserChannelHolder.text): stop that program"
      )
    }
    return TransportError(.unreachable, "\(selector): " + parts.joined(separator: "; "))
  }

  /// The message contains the command line with the path of this program.
  static func needsCapability(_ adapter: String) -> TransportError {
    TransportError(
      .notPermitted,
      "\(adapter): the HCI user channel needs CAP_NET_ADMIN: sudo setcap cap_net_admin+ep \(programPath), "
        + "or in a systemd unit AmbientCapabilities=CAP_NET_ADMIN")
  }

  private static func unconfiguredText(_ name: String) -> String {
    "the controller of \(name) has no address and is not configured: sudo btmgmt --index \(name) public-addr <address>"
  }

  private static var programPath: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    return count > 0 ? String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : "the program"
  }

  /// Why an adapter could not be taken.
  static func cannotTake(_ adapter: KernelAdapter, _ error: Int32) -> TransportError {
    let name = adapter.name
    return switch error {
    case EPERM, EACCES: needsCapability(name)
    case ENOTCONN:
      TransportError(
        .notPermitted,
        "\(name): the process that keeps CAP_NET_ADMIN for this program has ended: start the program again")
    case EUSERS:
      TransportError(
        .unreachable, "\(name): another program has it by the user channel\(UserChannelHolder.text): stop that program")
    case ENODEV: TransportError(.closed, "\(name): the adapter has been removed")
    case EADDRNOTAVAIL:
      TransportError(
        .unreachable, "\(name): \(unconfiguredText(name))")
    default: kernel(name, error)
    }
  }

  /// An adapter is off by a switch.
  /// - Parameter blockage: by which one, and what to do; `nil` where that cannot be read.
  static func blocked(_ adapter: KernelAdapter, _ blockage: String?) -> TransportError {
    let cause =
      blockage ?? "Bluetooth is blocked by rfkill: rfkill unblock bluetooth, or the switch of the machine"
    return TransportError(.switchedOff, "\(adapter.name): \(cause)")
  }

  /// An adapter was busy for too long.
  /// - Parameter error: what the kernel said last; `nil` where the management interface has said `reason`.
  static func stillBusy(
    _ selector: KernelAdapterSelector, _ adapter: KernelAdapter, _ error: Int32?, _ reason: String
  ) -> TransportError {
    switch error {
    case EALREADY:
      TransportError(
        .unreachable,
        "\(selector): \(adapter.name) is still being switched on or off (\(reason)): stop what does so: sudo systemctl stop bluetooth"
      )
    case ENODEV: TransportError(.closed, "\(selector): \(adapter.name) comes and goes (\(reason)): plug it in again")
    default:
      TransportError(
        .unreachable,
        "\(selector): \(adapter.name) is in use (\(reason)): stop what uses it: sudo systemctl stop bluetooth")
    }
  }

  static func ended(_ adapter: String, _ error: Int32) -> TransportError {
    switch error {
    case _ where UserChannel.isRemoval(error): TransportError(.closed, "\(adapter): the adapter has been removed")
    case EAGAIN: TransportError(.closed, "\(adapter): the controller has stopped taking packets: plug it in again")
    case ENOBUFS:
      TransportError(
        .closed,
        "\(adapter): this program did not read for so long that the kernel has dropped some of what the controller said"
      )
    default: TransportError(.closed, "\(adapter): \(systemText(error))")
    }
  }
}
