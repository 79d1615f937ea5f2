import BLEAdapter
import BLECore
import Foundation

/// The bonds that the system keeps for an adapter.
@MainActor struct SystemBonds {
  private let system: any SystemPairing
  private let session: Session

  init(_ system: any SystemPairing, _ session: Session) {
    self.system = system
    self.session = session
  }

  func list() async throws(ToolError) {
    let devices = try await devices()
    let output = session.output
    if output.isJSON { return output.json(.object(["bonds": .array(devices.map(\.json))])) }
    if devices.isEmpty { output.note("The Bluetooth daemon has paired with no device.") }
    for device in devices { output.collect(Self.title(device)) }
  }

  /// - Parameter target: `nil`: all.
  func remove(_ target: Target?) async throws(ToolError) {
    let devices = try await devices()
    let removed = devices.filter { device in
      switch target {
      case nil: true
      case .name(let name): device.names.contains(name)
      case .identifier(let identifier): device.identifier.uuid == identifier
      case .address(let value): device.address.value == value
      }
    }
    if let target, removed.isEmpty {
      throw ToolError(.notFound, "The Bluetooth daemon has not paired with \(target).")
    }
    let system = system
    for device in removed {
      let result: Result<Void, SystemPairingError> = try await session.waiting.answer {
        system.forget(device.identifier, $0)
      }
      if case .failure(let error) = result { throw ToolError(.failed, "\(error.description.inert).") }
    }
    let output = session.output
    if output.isJSON { return output.json(.object(["removed": .array(removed.map(\.json))])) }
    for device in removed { output.note("The Bluetooth daemon has removed \(Self.title(device)).") }
    if removed.isEmpty { output.note("The Bluetooth daemon has paired with no device.") }
  }

  private func devices() async throws(ToolError) -> [KnownPeer] {
    let system = system
    let result: Result<[KnownPeer], SystemPairingError> = try await session.waiting.answer { system.pairedDevices($0) }
    switch result {
    case .success(let devices): return devices
    case .failure(let error): throw ToolError(.unavailable, "\(error.description.inert).")
    }
  }

  private nonisolated static func title(_ device: KnownPeer) -> String {
    device.name.map { "'\($0.inert)' (\(device.address))" } ?? device.address.description
  }
}

extension KnownPeer: Report {
  package static let members: [ReportMember<Self>] = [
    .init("identifier") { .word($0.identifier.uuid.uuidString) }, .init("address") { .word($0.address.description) },
    .init("name") { .text($0.name) },
  ]
}
