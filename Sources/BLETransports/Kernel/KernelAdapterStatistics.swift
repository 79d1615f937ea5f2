import CKernelBluetooth
import Glibc

/// The counters of an adapter's driver, for all programs together, since the adapter was plugged in. 32 bits each; they wrap to
/// zero. A driver need not count all of them.
public struct KernelAdapterStatistics: Hashable, Sendable {
  public let receivedOctets: UInt32
  public let sentOctets: UInt32
  public let receiveErrors: UInt32
  public let sendErrors: UInt32

  /// Asks the kernel, which permits this to every user, also for an adapter that a program uses by the user channel; `nil` if
  /// there is no such adapter.
  /// - Parameter index: `0` for `hci0`.
  public init?(of index: UInt16) {
    guard let socket = try? KernelSocket.make() else { return nil }
    var information = KernelBluetoothDeviceInformation()
    information.device = index
    guard ioctl(socket.number, KERNEL_BLUETOOTH_DEVICE_INFORMATION, &information) == 0 else { return nil }
    self.init(information)
  }

  init(_ information: KernelBluetoothDeviceInformation) {
    receivedOctets = information.received_octets
    sentOctets = information.sent_octets
    receiveErrors = information.receive_errors
    sendErrors = information.send_errors
  }
}
