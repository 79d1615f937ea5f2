import BLECore
import BLEFiles
import Glibc

/// The identity of a program on an air: an address that is the same each time the program runs.
///
/// It is stored in a file of the state folder, which is locked while in use: two programs with one name at the same time are two
/// devices, `name` and `name-2`. The lock ends with the process.
///
/// Addresses are public ones with the bit for local administration set, which no manufacturer assigns: a controller with a public
/// address works with every host, without a random address set by the host.
public final class RadioIdentity {
  /// The device's name on the air, with a number if the name was in use.
  public let device: String
  /// The address of the device.
  public let address: DeviceAddress
  /// Locked as long as it is open.
  private let file: PrivateFile

  private static let limit = 256

  private init(device: String, address: DeviceAddress, file: consuming PrivateFile) {
    self.device = device
    self.address = address
    self.file = file
  }

  /// The name of this program, made plain: the default name of a device.
  public static var programName: String {
    guard let argument = CommandLine.arguments.first, let last = argument.split(separator: "/").last else {
      return "device"
    }
    return PlainName.plain(last)
  }

  /// Acquires the identity of a device until the object is released.
  ///
  /// - Parameters:
  ///   - device: the device's name; `nil` uses the program's.
  ///   - stateFolder: the folder of identities; `nil` uses `swift-corebluetooth` in the user's folder for state.
  public static func acquire(
    air: String, device: String? = nil, stateFolder: String? = nil
  ) throws(SharedAirError) -> RadioIdentity {
    guard PlainName.isValid(air) else { throw invalid("an air", air) }
    let name = device ?? programName
    guard PlainName.isValid(name) else { throw invalid("a device", name) }
    var folder = try AirFolder.make(stateFolder ?? UserFolders.ofThisProcess.state)
    for part in ["devices", air] { folder = try AirFolder.make(folder + "/" + part) }
    for number in 1...limit {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      if let identity = try open(candidate, at: "\(folder)/\(candidate).json") { return identity }
    }
    throw SharedAirError(.inUse, "\(limit) devices called \(name) are in use on the air \(air).")
  }

  private static func invalid(_ what: String, _ name: String) -> SharedAirError {
    SharedAirError(
      .invalidName,
      "\"\(name)\" cannot be the name of \(what): at most \(PlainName.lengthLimit) letters, digits, dots, dashes and "
        + "underscores, and no dot first.")
  }

  /// `nil` if another program uses it.
  private static func open(_ device: String, at path: String) throws(SharedAirError) -> RadioIdentity? {
    do throws(PrivateFileError) {
      let file = try PrivateFile(path, .changing)
      guard file.lock() else { return nil }
      if let address = try read(file) { return RadioIdentity(device: device, address: address, file: file) }
      let address = newAddress()
      try file.empty()
      let kind = address.kind == .public ? "public" : "random"
      try file.write(Array("{\n  \"address\": \"\(address)\",\n  \"kind\": \"\(kind)\"\n}\n".utf8))
      return RadioIdentity(device: device, address: address, file: file)
    } catch {
      throw SharedAirError(error)
    }
  }

  private static func newAddress() -> DeviceAddress {
    // The bits of the first octet: locally administered, not a group.
    let value = SystemEntropy().next() & 0xFCFF_FFFF_FFFF | 0x0200_0000_0000
    return DeviceAddress(value, kind: .public)
  }

  /// The address in the file; `nil` if the file is new or damaged, and then it is written again.
  static func read(_ file: borrowing PrivateFile) throws(PrivateFileError) -> DeviceAddress? {
    let octets = try file.read()
    // The two values are the second and the fourth of four strings.
    let strings = String(decoding: octets.prefix(512), as: UTF8.self).split(
      separator: "\"", omittingEmptySubsequences: false)
    guard strings.count == 9, strings[1] == "address", strings[5] == "kind" else { return nil }
    let kind: DeviceAddress.Kind = strings[7] == "random" ? .random : .public
    return DeviceAddress(strings[3], kind: kind)
  }
}
