import BLEDeviceFiles
import BLEReports
import BLESession
import Foundation

extension Explorer {
  /// Opens a device again as the file describes it: the handshake belongs to the opening of a link.
  /// - Throws: `notConnected` where the device is not open, `invalid` where a key of the file cannot be used.
  func attach(_ file: DeviceFile, to identifier: UUID) async throws(SessionError) -> VendorDevice {
    let old = try device(identifier)
    let vendor = try VendorDevice(file, identifier: identifier, in: central, hub: hub)
    await reopen(old, vendor.device.session, vendor)
    return vendor
  }

  /// Opens a device again without its file.
  func detach(from identifier: UUID) async {
    guard vendors[identifier] != nil, let old = opened[identifier] else { return }
    await reopen(old, central.session(with: .device(identifier)), nil)
  }

  /// The values that were read before are in the new session's place no more: it is another link.
  private func reopen(_ old: OpenDevice, _ session: DeviceSession, _ vendor: VendorDevice?) async {
    let identifier = old.identifier
    let new = OpenDevice(
      session, identifier, name: heard[identifier]?.sighting.name, hub: hub, metrics: metrics)
    let oldVendor = vendors.removeValue(forKey: identifier)
    // At once, so that another request for the same device meets the new ones.
    opened[identifier] = new
    vendors[identifier] = vendor
    await oldVendor?.end()
    await old.close()
    guard opened[identifier] === new else { return }
    await new.connect()
    if vendors[identifier] === vendor { await vendor?.begin() }
  }

  /// The device's file and its state.
  func vendorJSON(_ identifier: UUID) async -> JSONValue { await vendors[identifier]?.json ?? VendorDevice.none }
}
