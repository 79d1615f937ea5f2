import BLEAdapter
import BLECore
import CoreBluetooth
import Synchronization
import Testing

@Suite("The observer of a program")
struct ProgramObserverTests {
  @Test("I14.4 an observer receives calls before callbacks, and the return of each callback")
  func order() async throws {
    let notes = ProgramNotes()
    let fixture = try await ConnectedFixture(observer: notes)
    notes.clear()
    fixture.link.values[ScriptedLink.value] = [1, 2, 3]
    fixture.peripheral.readValue(for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(
      notes.lines == [
        "call readValue(for:)", "callback peripheral(_:didUpdateValueFor:error:)",
        "returned peripheral(_:didUpdateValueFor:error:)",
      ])
    let events = notes.events
    #expect(events.allSatisfy { $0.manager == ProgramManager(role: .central, number: 1) })
    #expect(events[0].peer == .first)
    #expect(events[0].attribute?.handle == ScriptedLink.value)
    #expect(events[0].attribute?.properties == 0x3E)
    #expect(events[1].octets == 3)
    #expect(events[1].error == nil)
  }

  @Test("I14.4 an observer receives options, lengths and errors")
  func contents() async throws {
    let notes = ProgramNotes()
    let fixture = try await ConnectedFixture(observer: notes)
    let peripheral = fixture.peripheral
    fixture.link.errors[ScriptedLink.value] = .attribute(code: 0x03)
    fixture.central.manager.scanForPeripherals(
      withServices: [CBUUID(string: "180D")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    fixture.peripheral.writeValue(Data(count: 9), for: fixture.characteristic, type: .withResponse)
    await fixture.adapter.settle()
    let scan = try #require(notes.events.last { $0.name == "scanForPeripherals(withServices:options:)" })
    #expect(scan.argument("services") == "180D")
    #expect(scan.argument(CBCentralManagerScanOptionAllowDuplicatesKey) == "true")
    let write = try #require(notes.events.last { $0.name == "writeValue(_:for:type:)" })
    #expect(write.octets == 9)
    #expect(write.capacity == peripheral.maximumWriteValueLength(for: .withoutResponse))
    let answer = try #require(
      notes.events.last { $0.name == "peripheral(_:didWriteValueFor:error:)" && $0.kind == .callback })
    #expect(answer.error?.contains("Writing is not permitted") == true)
  }

  @Test("I14.4 an observer receives wrong uses, and callbacks that no delegate receives")
  func misuse() async throws {
    let notes = ProgramNotes()
    let fixture = await CentralFixture(.poweredOff, observer: notes)
    notes.clear()
    fixture.manager.stopScan()
    #expect(notes.lines == ["call stopScan()", "misuse(notPoweredOn) stopScan()"])
    notes.clear()
    fixture.manager.delegate = nil
    await fixture.adapter.setState(.poweredOn)
    #expect(notes.lines == ["call delegate", "undelivered centralManagerDidUpdateState(_:)"])
  }

  @Test("I14.4 an observer knows each manager by the number that it gave")
  func managers() async throws {
    let notes = ProgramNotes()
    let adapter = ScriptedAdapter(.poweredOn, observer: notes)
    let recorder = CentralRecorder()
    let managers = (0..<2).map { _ in
      CBCentralManager(delegate: recorder, queue: recorder.queue, options: adapter.options)
    }
    let server = CBPeripheralManager(delegate: nil, queue: recorder.queue, options: adapter.options)
    await adapter.settle()
    let made = notes.events.filter { $0.name == "init(delegate:queue:options:)" }.map(\.manager)
    #expect(
      made == [
        ProgramManager(role: .central, number: 1), ProgramManager(role: .central, number: 2),
        ProgramManager(role: .peripheral, number: 3),
      ])
    withExtendedLifetime((managers, server)) {}
  }
}

/// Keeps what an observer receives.
final class ProgramNotes: ProgramObserver {
  private let state = Mutex((managers: 0, events: [ProgramEvent]()))

  var events: [ProgramEvent] { state.withLock { $0.events } }
  var lines: [String] {
    events.map { event in
      if case .misuse(let misuse) = event.kind { return "misuse(\(misuse.rawValue)) \(event.name)" }
      return "\(event.kind) \(event.name)"
    }
  }

  func clear() { state.withLock { $0.events = [] } }

  func programMakesManager(_ role: ProgramManager.Role) -> Int? {
    state.withLock { state in
      state.managers += 1
      return state.managers
    }
  }

  func program(did event: ProgramEvent) { state.withLock { $0.events.append(event) } }
}
