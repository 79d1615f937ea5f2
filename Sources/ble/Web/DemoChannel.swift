import BLESession
import CoreBluetooth
import Foundation

/// The L2CAP channel of a demo's device, which sends back what comes. Its PSM is in the usual characteristic.
@MainActor final class DemoChannel {
  private let peripheral: PeripheralSession
  private let number = Guarded(Data())
  private var echoes: [EchoedChannel] = []

  init(options: [String: Any], clock: any SessionClock) {
    let number = number
    let characteristic = CharacteristicDeclaration.dynamic(
      L2CAPCommand.characteristic, read: { _ in .value(number.with { $0 }) })
    peripheral = PeripheralSession(
      services: [ServiceDeclaration(L2CAPCommand.service, [characteristic])], options: options, clock: clock)
  }

  /// Needs time to pass meanwhile.
  func publish() async throws(SessionError) {
    try await peripheral.start()
    let psm = try await peripheral.publishChannel(requiresEncryption: false) { opened in
      onMain { [weak self] in self?.take(opened) }
    }
    number.with { $0 = Data([UInt8(psm & 0xFF), UInt8(psm >> 8)]) }
  }

  private func take(_ opened: OpenedChannel) {
    echoes.removeAll(where: \.hasEnded)
    echoes.append(EchoedChannel(opened))
  }
}
