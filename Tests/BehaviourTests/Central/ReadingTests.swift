import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 5: reading", .keepsCapture)
struct CentralReadingTests {
  /// Service FFF0 with one characteristic FFF1 of these properties, and perhaps its client configuration behind it.
  private func table(_ properties: UInt8, value: [UInt8] = [], hasConfiguration: Bool = false) -> AttributeTable {
    let table = AttributeTable(properties: properties, value: value)
    if hasConfiguration { table.add(0x2902, [0, 0]) }
    return table
  }
  /// Where `table` puts the value and the configuration.
  private static let value: UInt16 = 3
  private static let configuration: UInt16 = 4

  @Test("B5.1 read, notified and indicated values arrive in one callback, with the value set before")
  func oneCallback() async throws {
    let table = table(0x32, value: [1], hasConfiguration: true)
    let meeting = try await Meeting.talking(to: table)
    let characteristic = try meeting.characteristic()
    await meeting.found.notify(true, characteristic, in: meeting.world)
    meeting.central.forget()
    #expect(characteristic.value == nil)
    await meeting.found.read(characteristic, in: meeting.world)
    meeting.tag?.send([0x1B, 3, 0, 2, 2])
    await meeting.world.settle()
    table.forgetRequests()
    meeting.tag?.send([0x1D, 3, 0, 3, 3, 3])
    await meeting.world.settle()
    #expect(meeting.central.told == ["value FFF1 01", "value FFF1 0202", "value FFF1 030303"])
    // An indication is confirmed, with or without a listener.
    #expect(table.requests == [[0x1E]] && characteristic.value == Data([3, 3, 3]))
  }

  @Test(
    "B5.2 a value longer than the MTU allows is read whole before the callback",
    arguments: [21, 22, 23, 44, 45, 200, 512])
  func longValues(_ length: Int) async throws {
    let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let meeting = try await Meeting.talking(to: table(0x02, value: octets))
    try await meeting.read()
    #expect(meeting.central.told == ["value FFF1 \(Data(octets).hexadecimal)"])
  }

  @Test(
    "B5.3 an error of the device arrives as a CBATTError with its code",
    arguments: [UInt8](1...0x11) + [0x80, 0x8A, 0x9F, 0xE0, 0xFC, 0xFF])
  func errors(_ code: UInt8) async throws {
    let table = table(0x0A)
    let meeting = try await Meeting.talking(to: table)
    table.refuse(code, at: Self.value)
    let characteristic = try meeting.characteristic()
    meeting.found.readValue(for: characteristic)
    await meeting.world.advance(by: .seconds(100))
    meeting.found.writeValue(Data([1]), for: characteristic, type: .withResponse)
    await meeting.world.advance(by: .seconds(100))
    #expect(meeting.central.told == ["value FFF1 error \(code)", "wrote FFF1 error \(code)"])
    for error in meeting.central.errors {
      #expect((error as? CBATTError)?.errorCode == Int(code) && (error as NSError).domain == CBATTErrorDomain)
      #expect((error.localizedDescription == "Unknown ATT error.") == (code > 0x11))
    }
    #expect(characteristic.value == nil && meeting.found.state == .connected)
  }

  @Test("B5.4 a characteristic without the read property is still read, and the device refuses")
  func notReadable() async throws {
    let table = table(0x08, value: [1])
    table.refuse(0x02, at: Self.value)
    let meeting = try await Meeting.talking(to: table)
    table.forgetRequests()
    try await meeting.read()
    #expect(table.requests == [[0x0A, 3, 0]])
    #expect(meeting.central.told == ["value FFF1 error \(CBATTError.readNotPermitted.rawValue)"])
  }

  @Test(
    "B5.5 setNotifyValue writes the client configuration, indications only where notifications are not offered",
    arguments: [(0x10, 1), (0x20, 2), (0x30, 1)] as [(UInt8, UInt8)])
  func configuration(_ properties: UInt8, _ expected: UInt8) async throws {
    let table = table(properties, hasConfiguration: true)
    let meeting = try await Meeting.talking(to: table)
    let characteristic = try meeting.characteristic()
    for (isOn, value) in [(true, expected), (false, 0)] as [(Bool, UInt8)] {
      meeting.found.setNotifyValue(isOn, for: characteristic)
      #expect(characteristic.isNotifying != isOn)
      await meeting.world.settle()
      #expect(table.value(at: Self.configuration) == [value, 0] && characteristic.isNotifying == isOn)
    }
    // The state is set before the callback.
    #expect(meeting.central.told == ["notifying FFF1 true", "notifying FFF1 false"])
  }

  @Test("B5.5 a configuration that the device refuses leaves the state as it was")
  func refusedConfiguration() async throws {
    let table = table(0x10, hasConfiguration: true)
    let meeting = try await Meeting.talking(to: table)
    table.refusals[0x12] = 0x03
    try await meeting.subscribe()
    #expect(meeting.central.told == ["notifying FFF1 false error 3"])
  }

  @Test("B5.6 setting the present state is answered without traffic", arguments: [true, false])
  func alreadyThere(isOn: Bool) async throws {
    let table = table(0x10, hasConfiguration: true)
    let meeting = try await Meeting.talking(to: table)
    let characteristic = try meeting.characteristic()
    if isOn {
      await meeting.found.notify(true, characteristic, in: meeting.world)
    }
    meeting.central.forget()
    table.forgetRequests()
    meeting.found.setNotifyValue(isOn, for: characteristic)
    await meeting.world.settle()
    #expect(meeting.central.told == ["notifying FFF1 \(isOn)"] && table.requests.isEmpty)
  }

  @Test("B5.7 without the property the request is not supported, without a client configuration it is not found")
  func impossible() async throws {
    let none = try await Meeting.talking(to: table(0x02))
    none.found.setNotifyValue(true, for: try none.characteristic())
    await none.world.settle()
    #expect(none.central.told == ["notifying FFF1 false error \(CBATTError.requestNotSupported.rawValue)"])
    let unconfigurable = try await Meeting.talking(to: table(0x10))
    unconfigurable.found.setNotifyValue(true, for: try unconfigurable.characteristic())
    await unconfigurable.world.settle()
    #expect(unconfigurable.central.told == ["notifying FFF1 false error \(CBATTError.attributeNotFound.rawValue)"])
  }

  @Test("B5.8 nothing notifies after the connection has ended", arguments: [true, false])
  func disconnected(isWanted: Bool) async throws {
    let meeting = try await Meeting.talking()
    let characteristic = try meeting.characteristic()
    await meeting.found.notify(true, characteristic, in: meeting.world)
    #expect(characteristic.isNotifying)
    var wasNotifying: Bool?
    meeting.central.reactions["disconnected"] = { wasNotifying = characteristic.isNotifying }
    if isWanted {
      meeting.central.manager.cancelPeripheralConnection(meeting.found)
    } else {
      meeting.device?.cutPower()
    }
    await meeting.world.advance(by: .seconds(30))
    #expect(wasNotifying == false && !characteristic.isNotifying)
  }
}
