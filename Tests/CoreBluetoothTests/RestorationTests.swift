import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

/// A delegate that copies all its arguments.
private final class Restored: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "restored")
  var told: [String] = []
  var state: [String: Any] = [:]

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) { restore(dict) }
  func centralManagerDidUpdateState(_ central: CBCentralManager) { told.append("state") }
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) { restore(dict) }
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { told.append("state") }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    told.append("added \(service.uuid.uuidString) \((error as? CBError)?.code.rawValue ?? -1)")
  }

  private func restore(_ dict: [String: Any]) {
    told.append("restored")
    state = dict
  }
}

/// States as they may be in files: preserved by a manager, or forged.
@Suite("Preserved states")
struct RestorationTests {
  private static let central = PreservationKey(.central, "main")
  private static let peripheral = PreservationKey(.peripheral, "main")

  /// A manager of the next process, with `left` as the state that the previous one preserved.
  private func restore(
    _ key: PreservationKey, _ left: String, check: (Restored, ScriptedAdapter, CBManager) throws -> Void
  ) async rethrows {
    try await restore(key, Array(left.utf8), check: check)
  }

  private func restore(
    _ key: PreservationKey, _ left: [UInt8], check: (Restored, ScriptedAdapter, CBManager) throws -> Void
  ) async rethrows {
    let adapter = ScriptedAdapter()
    adapter.states[key] = ScriptedState(left: left)
    let program = Restored()
    var options = adapter.options
    let manager: CBManager
    if key.role == .central {
      options[CBCentralManagerOptionRestoreIdentifierKey] = key.identifier
      manager = CBCentralManager(delegate: program, queue: program.queue, options: options)
    } else {
      options[CBPeripheralManagerOptionRestoreIdentifierKey] = key.identifier
      manager = CBPeripheralManager(delegate: program, queue: program.queue, options: options)
    }
    await adapter.settle()
    try check(program, adapter, manager)
    program.state = [:]
  }

  @Test("the state preserved by a central is restored by the next one, and preserved again")
  func central() async throws {
    let left = """
      {"peers":[{"identifier":"11111111-1111-4111-8111-111111111111","name":"Lamp","reconnects":true}],\
      "scan":{"allowsDuplicates":true,"services":["FFF0"],"solicitedServices":[]}}
      """
    try await restore(Self.central, left) { program, adapter, manager in
      #expect(program.told == ["restored", "state"])
      let peripherals = program.state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
      #expect(peripherals?.map(\.name) == ["Lamp"] && peripherals?.first?.state == .connecting)
      #expect(adapter.central.connects.map(\.peer) == [.first])
      #expect(adapter.central.scans == [ScanParameters(services: [BLEUUID(0xFFF0)], allowsDuplicates: true)])
      let state = try #require(adapter.states[Self.central])
      let again = try #require(state.source?())
      // Only the stack knows the name until there is a connection.
      let expected = left.replacingOccurrences(of: "\"name\":\"Lamp\",", with: "")
      #expect(String(decoding: again, as: UTF8.self) == expected)
      #expect(!state.hasEnded && manager.state == .poweredOn)
    }
  }

  @Test("the state preserved by a peripheral is published at the same handles, and no didAdd is called")
  func peripheral() async throws {
    let left = """
      {"advertisement":{"localName":"shop","services":["FF11"]},"services":[{"characteristics":[{"descriptors":\
      [{"uuid":"2901","value":"bmFtZQ=="}],"permissions":3,"properties":26,"subscribers":[],"uuid":"FF22"}],\
      "handle":40,"included":[],"isPrimary":true,"uuid":"FF11"}]}
      """
    try await restore(Self.peripheral, left) { program, adapter, manager in
      #expect(program.told == ["restored", "state"])
      let services = program.state[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
      #expect(services?.first?.characteristics?.first?.descriptors?.first?.value as? String == "name")
      #expect(adapter.peripheral.services.values.map(\.place) == [AttributeHandle(40)])
      #expect((manager as? CBPeripheralManager)?.isAdvertising == true)
      let state = try #require(adapter.states[Self.peripheral])
      let again = try #require(state.source?())
      // The scripted stack does not report the present handles.
      let expected = left.replacingOccurrences(of: "\"handle\":40,", with: "")
      #expect(String(decoding: again, as: UTF8.self) == expected)
    }
  }

  @Test(
    "an invalid state is set aside, and the manager starts without one",
    arguments: [
      "", "{", "null", "[]", "{}", "7", "{\"peers\":7}", "{\"peers\":[{}]}", "{\"peers\":[{\"identifier\":\"x\"}]}",
      "{\"services\":[{\"uuid\":1}]}", String(repeating: "[", count: 100_000),
    ])
  func noState(_ left: String) async throws {
    for key in [Self.central, Self.peripheral] {
      try await restore(key, left) { program, adapter, _ in
        #expect(program.told == ["state"])
        let reason = try #require(adapter.states[key]).reason
        #expect(reason != nil)
      }
    }
  }

  @Test("services that no program could have published are omitted, and the others are there")
  func impossibleServices() async throws {
    func service(_ uuid: String, _ characteristics: String = "", included: String = "") -> String {
      """
      {"uuid":"\(uuid)","isPrimary":true,"included":[\(included)],"handle":0,"characteristics":[\(characteristics)]}
      """
    }
    func characteristic(_ uuid: String, properties: Int, value: String = "null", descriptors: String = "") -> String {
      """
      {"uuid":"\(uuid)","properties":\(properties),"permissions":3,"value":\(value),"descriptors":[\(descriptors)],\
      "subscribers":[{"identifier":"11111111-1111-4111-8111-111111111111","maximumUpdateValueLength":-7}]}
      """
    }
    let services = [
      service("no UUID"), service("FF01", characteristic("x", properties: 2)),
      // A fixed value that can be written, and a descriptor that the system makes: exceptions in a program.
      service("FF02", characteristic("FF22", properties: 8, value: "\"AQ==\"")),
      service("FF03", characteristic("FF22", properties: 2, descriptors: "{\"uuid\":\"2902\",\"value\":\"AQ==\"}")),
      service("FF04", included: "7"), service("FF05", included: "-1"), service("FF06", included: "0"),
      service("FF07", characteristic("FF22", properties: 18)), service("FF08", included: "7"),
    ]
    await restore(Self.peripheral, "{\"services\":[\(services.joined(separator: ","))]}") { program, adapter, _ in
      let restored = program.state[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
      #expect(restored?.map(\.uuid.uuidString) == ["FF07", "FF08"])
      #expect(restored?.last?.includedServices?.first === restored?.first)
      #expect(adapter.lines.texts.filter { $0.contains("a preserved service") }.count == 7)
    }
  }

  @Test("randomly changed octets never end the program")
  func randomOctets() async throws {
    let valid = Array(
      """
      {"advertisement":{"localName":"shop","services":["FF11"]},"services":[{"characteristics":[{"descriptors":\
      [{"uuid":"2901","value":"bmFtZQ=="}],"permissions":3,"properties":26,"subscribers":[],"uuid":"FF22"}],\
      "handle":40,"included":[],"isPrimary":true,"uuid":"FF11"}],"peers":[{"identifier":\
      "11111111-1111-4111-8111-111111111111","name":"Lamp","reconnects":true}],"scan":\
      {"allowsDuplicates":true,"services":["FFF0"],"solicitedServices":[]}}
      """.utf8)
    let seed = UInt64.random(in: .min ... .max)
    let entropy = SeededEntropy(seed: seed)
    for _ in 0..<400 {
      var octets = valid
      for _ in 0...(entropy.next() % 3) {
        let index = Int(entropy.next() % UInt64(octets.count))
        octets[index] = UInt8(truncatingIfNeeded: entropy.next())
      }
      for key in [Self.central, Self.peripheral] {
        await restore(key, octets) { program, _, _ in
          #expect(program.told.contains("state"), "seed \(seed)")
        }
      }
    }
  }

  @Test("a manager that is released ends its state; identifiers that are empty or no text count as none")
  func identifiers() async throws {
    let adapter = ScriptedAdapter()
    let state = ScriptedState(left: nil)
    adapter.states[Self.central] = state
    for identifier in ["", 7, NSNull(), Data()] as [Any] {
      let options = adapter.options.merging([CBCentralManagerOptionRestoreIdentifierKey: identifier]) { $1 }
      let manager = CBCentralManager(delegate: nil, queue: nil, options: options)
      await adapter.settle()
      #expect(state.source == nil)
      withExtendedLifetime(manager) {}
    }
    do {
      let options = adapter.options.merging([CBCentralManagerOptionRestoreIdentifierKey: "main" as NSString]) { $1 }
      let program = Restored()
      let manager = CBCentralManager(delegate: program, queue: program.queue, options: options)
      await adapter.settle()
      #expect(state.source != nil && state.source?() == nil)
      manager.scanForPeripherals(withServices: nil)
      await adapter.settle()
      #expect(state.changes > 0 && state.source?() != nil && !state.hasEnded)
    }
    await adapter.settle()
    #expect(state.hasEnded)
  }
}
