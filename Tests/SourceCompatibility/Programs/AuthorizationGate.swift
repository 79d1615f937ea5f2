import CoreBluetooth

/// Checks whether it may use Bluetooth before it makes a manager.
final class AuthorizationGate: Program {
  private func mayStart(_ authorization: CBManagerAuthorization) -> Bool {
    switch authorization {
    case .allowedAlways, .notDetermined: return true
    case .denied, .restricted: return false
    @unknown default: return false
    }
  }

  func run(on stage: any Stage) async throws {
    try check(mayStart(CBManager.authorization))
    try check(mayStart(CBCentralManager.authorization) && mayStart(CBPeripheralManager.authorization))
    if #available(iOS 13.1, macOS 10.15, *) {
      try check(CBManager.authorization == .allowedAlways)
    }
    try check(!mayStart(.denied))
    let ignored = CBCentralManager.supports(.extendedScanAndConnect)
    CBCentralManager.supports([.extendedScanAndConnect])
    _ = ignored
  }
}
