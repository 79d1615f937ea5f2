import BLEReports
import BLESession
import CoreBluetooth
import Foundation

extension OpenDevice {
  /// Opens a channel. A device that asks for encryption first is paired with, where it has to be.
  /// - Parameter psm: `nil`: what the device's own characteristic for it says.
  func openChannel(_ psm: CBL2CAPPSM?) async throws(SessionError) -> JSONValue {
    guard await channels.perform({ $0.hasRoom }) else {
      throw SessionError(.unavailable, "\(DeviceChannels.mostOpen) channels are open: close one first")
    }
    let number = if let psm { psm } else { try await readPSM() }
    let opened = try await measured(.channel) { () async throws(SessionError) in
      try await session.openedChannel(number)
    }
    return await channels.perform { $0.add(opened) }
  }

  private func readPSM() async throws(SessionError) -> CBL2CAPPSM {
    let uuid = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
    guard let path = services.lazy.flatMap(\.characteristics).map(\.path).first(where: { $0.characteristic == uuid })
    else {
      throw SessionError(.notFound, "the device has no characteristic \(uuid.uuidString) with a PSM: name the PSM")
    }
    let value = try await session.read(path)
    guard value.count == 2, let number = CBL2CAPPSM(octets: value, order: .littleEndian), number > 0 else {
      throw SessionError(.notFound, "the device's characteristic holds no PSM: name the PSM")
    }
    return number
  }
}
