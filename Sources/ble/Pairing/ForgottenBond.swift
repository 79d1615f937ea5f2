import CoreBluetooth

/// A device that has removed its keys while this side has kept its own.
enum ForgottenBond {
  /// A remedy to append to the message; empty if the link ended for another reason.
  @MainActor static func remedy(_ error: any Error, _ peripheral: CBPeripheral) -> String {
    guard (error as? CBError)?.code == .peerRemovedPairingInformation else { return "" }
    return ". 'ble unpair \(peripheral.identifier.uuidString)' removes the keys here; then it can be paired again."
  }
}
