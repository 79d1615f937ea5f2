import BLESession
import CoreBluetooth
import Foundation

/// The L2CAP channel of a profile.
extension ProfilePeripheral {
  /// Asks for the channel, once each time Bluetooth is switched on.
  func publishChannel() {
    guard let channel = profile.channel, isStarted, !isChannelAsked, let peripheral, peripheral.state == .poweredOn
    else { return }
    isChannelAsked = true
    let published = Reply<CBL2CAPPSM>()
    published.whenSucceeded = { [weak self] psm in MainActor.assumeIsolated { self?.published(psm) } }
    published.whenFailed = { [weak self] error in
      MainActor.assumeIsolated {
        // The state says the same.
        if error.code != .unavailable, error.code != .cancelled { self?.tell(.failed(error)) }
      }
    }
    peripheral.publishChannel(requiresEncryption: channel.needsEncryption, published) { [weak self] opened in
      MainActor.assumeIsolated { self?.tell(.channelOpened(opened)) }
    }
  }

  /// Centrals read the PSM where the profile has the characteristic for it (Apple's CBUUIDL2CAPPSMCharacteristicString).
  private func published(_ psm: CBL2CAPPSM) {
    self.psm = psm
    let uuid = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
    for characteristic in characteristics where characteristic.path.characteristic == uuid {
      push([UInt8(psm & 0xFF), UInt8(psm >> 8)], to: characteristic)
    }
    tell(.channelPublished(psm))
  }

  func loseChannel() {
    psm = nil
    isChannelAsked = false
  }
}
