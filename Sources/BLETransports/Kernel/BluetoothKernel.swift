import BLEHCI
import Glibc

/// What of the system is needed to have an adapter; tests bring one of their own.
struct BluetoothKernel {
  /// A socket of the management interface.
  var openManagement: () throws(TransportError) -> FileDescriptor
  /// The events of rfkill; `nil` where this user may not read them.
  var openSwitches: () -> FileDescriptor?
  /// By which switch an adapter is off, and what to do.
  var blockage: (_ adapter: String) -> String?
  var privilege: () throws(TransportError) -> any AdapterPrivilege

  /// This machine's.
  static var ofThisMachine: BluetoothKernel {
    BluetoothKernel(
      openManagement: { () throws(TransportError) in try ManagementSocket.open() },
      openSwitches: {
        let number = open("/dev/rfkill", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        return number >= 0 ? FileDescriptor(number) : nil
      },
      blockage: { RadioSwitch.blockage(of: $0, among: RadioSwitch.ofThisMachine()) },
      privilege: { () throws(TransportError) in try AdapterKeeper.ofThisProcess() })
  }
}
