import BLEAdapter
import BLECore
import BLEHost
import BLEWeb
import Foundation

/// The bonds of an adapter that is in use, whether its host is this project's or the system's.
struct AdapterBonds: BondControl {
  let adapter: any Adapter

  func bonds() async throws(BondControlError) -> [ExplorerBond] {
    if let stack = adapter as? HostStack {
      return stack.bonds.map { bond in
        ExplorerBond(
          address: bond.address.description, identifier: bond.peer?.identifier.uuid.uuidString,
          name: bond.peer?.names.first,
          protection: bond.security.summary)
      }
    }
    return try await devices().map {
      ExplorerBond(
        address: $0.address.description, identifier: $0.identifier.uuid.uuidString, name: $0.names.first,
        protection: nil)
    }
  }

  func remove(_ address: String) async throws(BondControlError) -> Bool {
    if let stack = adapter as? HostStack {
      guard let bond = stack.bonds.first(where: { $0.address.description == address }) else { return false }
      let failure = await withCheckedContinuation { continuation in
        stack.removeBonds([bond.address]) { continuation.resume(returning: $0) }
      }
      if let failure { throw BondControlError(failure.description) }
      return true
    }
    guard let system = adapter as? any SystemPairing,
      let device = try await devices().first(where: { $0.address.description == address })
    else { return false }
    let result = await withCheckedContinuation { continuation in
      system.forget(device.identifier) { continuation.resume(returning: $0) }
    }
    if case .failure(let error) = result { throw BondControlError(error.description) }
    return true
  }

  private func devices() async throws(BondControlError) -> [KnownPeer] {
    guard let system = adapter as? any SystemPairing else { throw BondControlError("this adapter has no bonds") }
    let result = await withCheckedContinuation { continuation in
      system.pairedDevices { continuation.resume(returning: $0) }
    }
    switch result {
    case .success(let devices): return devices
    case .failure(let error): throw BondControlError(error.description)
    }
  }
}
