import BLEHCI
import Glibc

/// A serial line as H4 requires it: raw octets, eight bits, no parity, flow control by RTS and CTS (Core, Vol 4 Part A 3).
enum SerialLine {
  /// The speeds that the system defines, in baud.
  static let speeds: [Int: speed_t] = [
    9_600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
    115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 500_000: speed_t(B500000),
    576_000: speed_t(B576000), 921_600: speed_t(B921600), 1_000_000: speed_t(B1000000),
    1_152_000: speed_t(B1152000), 1_500_000: speed_t(B1500000), 2_000_000: speed_t(B2000000),
    2_500_000: speed_t(B2500000), 3_000_000: speed_t(B3000000), 3_500_000: speed_t(B3500000),
    4_000_000: speed_t(B4000000),
  ]

  static func open(path: String, speed: Int) throws(TransportError) -> FileDescriptor {
    let name = "serial:\(path),\(speed)"
    guard let code = speeds[speed] else {
      let known = speeds.keys.sorted().map(String.init).joined(separator: ", ")
      throw TransportError(.invalidName, "\(name): no serial line runs at \(speed) baud, but at \(known)")
    }
    let number = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { throw cannotOpen(name, path, errno) }
    let descriptor = FileDescriptor(number)
    var settings = termios()
    guard tcgetattr(number, &settings) == 0 else {
      throw TransportError(.invalidName, "\(name): \(path) is not a serial line")
    }
    guard ioctl(number, UInt(TIOCEXCL)) == 0 else { throw cannotOpen(name, path, errno) }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL) | tcflag_t(CREAD) | tcflag_t(CRTSCTS)
    settings.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(PARENB))
    cfsetispeed(&settings, code)
    cfsetospeed(&settings, code)
    guard tcsetattr(number, TCSANOW, &settings) == 0 else {
      throw TransportError(.unreachable, "\(name): cannot set up the line: \(systemText(errno))")
    }
    // Octets received before this program opened the line are discarded.
    tcflush(number, TCIOFLUSH)
    return descriptor
  }

  private static func cannotOpen(_ name: String, _ path: String, _ error: Int32) -> TransportError {
    switch error {
    case EACCES, EPERM:
      TransportError(
        .notPermitted, "\(name): \(systemText(error)): join the group of the device, often dialout, and log in again")
    case EBUSY:
      TransportError(.notPermitted, "\(name): another program uses the line: stop it first")
    case ENOENT, ENXIO, ENODEV:
      TransportError(.unreachable, "\(name): there is no such device: is it plugged in?")
    default:
      TransportError(.unreachable, "\(name): \(systemText(error))")
    }
  }
}
