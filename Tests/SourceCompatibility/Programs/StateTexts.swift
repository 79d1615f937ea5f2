import CoreBluetooth

extension CBManagerState: @retroactive CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown: return "unknown"
    case .resetting: return "resetting"
    case .unsupported: return "unsupported"
    case .unauthorized: return "unauthorized"
    case .poweredOff: return "powered off"
    case .poweredOn: return "powered on"
    @unknown default: return "state \(rawValue)"
    }
  }
}

extension CBPeripheralState {
  var isUsable: Bool {
    switch self {
    case .connected: return true
    case .connecting, .disconnecting, .disconnected: return false
    @unknown default: return false
    }
  }
}

final class StateTexts: Program {
  func run(on stage: any Stage) async throws {
    try check("\(CBManagerState.poweredOn)" == "powered on")
    try check(CBManagerState(rawValue: 99).map { "\($0)" } == "state 99")
    try check(CBManagerState(rawValue: 4) == .poweredOff)
    try check(CBPeripheralState.connected.isUsable && !CBPeripheralState.connecting.isUsable)
    try check(CBPeripheralState(rawValue: 3) == .disconnecting)
    let byState: [CBManagerState: Int] = [.poweredOn: 1, .unknown: 2]
    try check(byState[.poweredOn] == 1)
  }
}
