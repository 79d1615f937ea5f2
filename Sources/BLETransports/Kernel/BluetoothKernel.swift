import BLEHCI
import Glibc

/// The system services that an adapter needs; tests replace them.
struct BluetoothKernel {
  /// Opens a socket of the management interface.
  var openManagement: () throws(TransportError) -> FileDescriptor
  /// Opens the events of rfkill; `nil` if this user may not read them.
  var openSwitches: () -> FileDescriptor?
  /// The switch that blocks an adapter, and what to do.
  var blockage: (_ adapter: String) -> String?
  var privilege: () throws(TransportError) -> any AdapterPrivilege

  /// Those of this machine.
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
