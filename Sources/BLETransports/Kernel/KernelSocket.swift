import BLEHCI
import CKernelBluetooth
import Glibc

/// Makes the kernel's Bluetooth sockets.
enum KernelSocket {
  static func make() throws(TransportError) -> FileDescriptor {
    let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let number = socket(Int32(KERNEL_BLUETOOTH_FAMILY), kind, Int32(KERNEL_BLUETOOTH_HCI_PROTOCOL))
    guard number >= 0 else { throw .kernel("Bluetooth", errno) }
    return FileDescriptor(number)
  }

  /// - Returns: 0, or the system's error.
  static func bind(_ descriptor: FileDescriptor, device: UInt16, channel: Int) -> Int32 {
    var address = KernelBluetoothAddress(
      family: UInt16(KERNEL_BLUETOOTH_FAMILY), device: device, channel: UInt16(channel))
    let result = withUnsafeBytes(of: &address) { octets in
      Glibc.bind(
        descriptor.number, octets.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(octets.count))
    }
    return result == 0 ? 0 : errno
  }
}

extension TransportError {
  /// Why one of the kernel's Bluetooth sockets cannot be opened.
  static func kernel(_ what: String, _ error: Int32) -> TransportError {
    switch error {
    case EAFNOSUPPORT, EPROTONOSUPPORT:
      TransportError(
        .unreachable,
        "\(what): this kernel has no Bluetooth, or not for this program: load it (sudo modprobe bluetooth); "
          + "in a container share the machine's network (--net=host)")
    case EPERM, EACCES:
      TransportError(
        .notPermitted,
        "\(what): \(systemText(error)): a container has to allow Bluetooth sockets "
          + "(--net=host --cap-add=NET_ADMIN --cap-add=NET_RAW)")
    default:
      TransportError(.unreachable, "\(what): \(systemText(error))")
    }
  }
}
