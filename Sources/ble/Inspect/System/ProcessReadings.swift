import Glibc

/// Properties of this process.
enum ProcessReadings {
  static var groups: Set<gid_t> {
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return Set(groups.prefix(Int(max(0, count))) + [getegid()])
  }

  static var programPath: String {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = path.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
    }
    return count > 0 ? String(decoding: path.prefix(count), as: UTF8.self) : "ble"
  }

  /// The attribute of this program's file that holds its capabilities.
  static var fileCapabilities: [UInt8]? {
    // glibc has the function, but its Swift module does not declare it.
    typealias Reader =
      @convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int
      ) -> Int
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "getxattr") else { return nil }
    var octets = [UInt8](repeating: 0, count: 64)
    let count = unsafeBitCast(symbol, to: Reader.self)("/proc/self/exe", "security.capability", &octets, octets.count)
    return count > 0 ? Array(octets.prefix(count)) : nil
  }
}

/// The kernel's messages.
enum KernelLog {
  /// In octets. The kernel's buffer is smaller on most machines.
  private static let limit = 4 << 20

  /// All messages in the kernel's buffer; `nil` if this user may not read it.
  static func read() -> String? {
    let descriptor = open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var record = [UInt8](repeating: 0, count: 8_192)
    while octets.count < limit {
      // One message each time (Documentation/ABI/testing/dev-kmsg); EPIPE: some were overwritten meanwhile, the next one follows.
      let count = Glibc.read(descriptor, &record, record.count)
      if count < 0, errno == EPIPE || errno == EINTR { continue }
      if count <= 0 { break }
      octets += record.prefix(count)
    }
    return octets.isEmpty ? nil : String(decoding: octets, as: UTF8.self)
  }
}
