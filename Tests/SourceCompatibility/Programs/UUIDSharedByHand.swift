import CoreBluetooth

// Declarations in sources of the Swift 6 years, because UUIDs and peripherals are not Sendable on Apple's systems.
extension CBUUID: @unchecked @retroactive Sendable {}
extension CBCharacteristic: @unchecked @retroactive Sendable {}

final class UUIDSharedByHand: Program {
  nonisolated(unsafe) static let service = CBUUID(string: "FFE0")

  private actor Registry {
    private var names: [CBUUID: String] = [:]
    func set(_ name: String, for uuid: CBUUID) { names[uuid] = name }
    func name(of uuid: CBUUID) -> String? { names[uuid] }
  }

  func run(on stage: any Stage) async throws {
    let registry = Registry()
    await registry.set("vendor", for: Self.service)
    let name = await registry.name(of: CBUUID(string: "ffe0"))
    try check(name == "vendor")
  }
}
