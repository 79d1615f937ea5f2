import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 6: writing", .keepsCapture)
struct CentralWritingTests {
  @Test(
    "B6.1 each write with response has one answer, and the value arrives whole",
    arguments: [0, 1, 20, 21, 100, 511, 512])
  func withResponse(_ length: Int) async throws {
    let meeting = try await Meeting.talking(prepare: { $0.setMaximumTransmissionUnit(23) })
    let value = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
    try await meeting.write(value)
    #expect(meeting.central.told == ["wrote FFF1"])
    #expect(meeting.accessory?.values[.of("FFF1")] == value)
    // Longer than one packet: prepared in parts of the MTU less 5.
    let parts = meeting.accessory?.batches.joined().count ?? 0
    #expect(parts == (length <= 20 ? 1 : (length + 17) / 18))
  }

  @Test("B6.1 a write that the device refuses, and one that is too long, have one answer with the error")
  func refused() async throws {
    let meeting = try await Meeting.talking()
    let characteristic = try meeting.characteristic()
    meeting.accessory?.judge = { _ in .insufficientResources }
    meeting.found.writeValue(Data([1]), for: characteristic, type: .withResponse)
    await meeting.found.write(Data(count: 513), to: characteristic, in: meeting.world)
    #expect(
      Set(meeting.central.told) == [
        "wrote FFF1 error \(CBATTError.insufficientResources.rawValue)",
        "wrote FFF1 error \(CBATTError.invalidAttributeValueLength.rawValue)",
      ])
    #expect(meeting.central.told.count == 2 && meeting.accessory?.values.isEmpty == true)
  }

  @Test("B6.2 a write without response has no answer and no error, and is truncated to the MTU")
  func withoutResponse() async throws {
    let meeting = try await Meeting.talking(prepare: { $0.setMaximumTransmissionUnit(23) })
    let characteristic = try meeting.characteristic()
    meeting.found.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
    await meeting.world.settle()
    #expect(meeting.accessory?.values[.of("FFF1")] == Data([1]))
    meeting.found.writeValue(Data(0..<40), for: characteristic, type: .withoutResponse)
    await meeting.world.settle()
    #expect(meeting.accessory?.values[.of("FFF1")] == Data(0..<20))
    meeting.accessory?.judge = { _ in .writeNotPermitted }
    meeting.found.writeValue(Data([2]), for: characteristic, type: .withoutResponse)
    await meeting.world.settle()
    #expect(meeting.central.told.isEmpty)
  }

  @Test(
    "B6.3 writing does not change the local value",
    arguments: [
      CBCharacteristicWriteType.withResponse, .withoutResponse,
    ])
  func localValue(_ type: CBCharacteristicWriteType) async throws {
    let meeting = try await Meeting.talking()
    let characteristic = try meeting.characteristic()
    meeting.found.writeValue(Data([1]), for: characteristic, type: type)
    await meeting.world.settle()
    #expect(characteristic.value == nil)
    await meeting.found.read(characteristic, in: meeting.world)
    #expect(characteristic.value == Data([1]))
    meeting.found.writeValue(Data([2]), for: characteristic, type: type)
    await meeting.world.settle()
    #expect(characteristic.value == Data([1]))
  }

  @Test(
    "B6.4 without the property a write without response is a warning in the log, one with response is not permitted")
  func missingProperty() async throws {
    let table = AttributeTable(properties: 0x02)
    let meeting = try await Meeting.talking(to: table)
    table.forgetRequests()
    let characteristic = try meeting.characteristic()
    meeting.found.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
    await meeting.world.settle()
    #expect(meeting.central.told.isEmpty && meeting.complaints.count == 1)
    let line = try #require(meeting.complaints.first)
    #expect(line.hasPrefix("WARNING: Characteristic <CBCharacteristic: 0x"))
    #expect(
      line.hasSuffix("does not specify the \"Write Without Response\" property - ignoring response-less write"))
    await meeting.found.write(Data([1]), to: characteristic, in: meeting.world)
    #expect(meeting.central.told == ["wrote FFF1 error \(CBATTError.writeNotPermitted.rawValue)"])
    #expect(table.requests.isEmpty)
  }

  @Test(
    "B6.5 the longest write is 512 with a response, without one what the MTU allows", arguments: [23, 185, 247, 517])
  func longestWrite(_ mtu: Int) async throws {
    let meeting = try await Meeting.withAccessory(prepare: { $0.setMaximumTransmissionUnit(mtu) })
    #expect(meeting.found.maximumWriteValueLength(for: .withResponse) == 512)
    #expect(meeting.found.maximumWriteValueLength(for: .withoutResponse) == 20)
    _ = try await meeting.connected()
    #expect(meeting.found.maximumWriteValueLength(for: .withResponse) == 512)
    #expect(meeting.found.maximumWriteValueLength(for: .withoutResponse) == min(512, mtu - 3))
    meeting.device?.cutPower()
    await meeting.world.advance(by: .seconds(30))
    #expect(meeting.found.maximumWriteValueLength(for: .withoutResponse) == 20)
  }

  @Test("B6.6 there is space at first; when it is used up one call reports that there is some again")
  func space() async throws {
    let meeting = try await Meeting.withAccessory()
    #expect(!meeting.found.canSendWriteWithoutResponse)
    _ = try await meeting.connected().walked()
    let (central, found, characteristic) = (meeting.central, meeting.found, try meeting.characteristic())
    #expect(found.canSendWriteWithoutResponse)
    var written = 0
    func fill() {
      while found.canSendWriteWithoutResponse {
        found.writeValue(Data([UInt8(written)]), for: characteristic, type: .withoutResponse)
        written += 1
      }
    }
    central.queue.sync { fill() }
    #expect((8...200).contains(written) && central.told.isEmpty)
    await meeting.world.settle()
    #expect(central.told == ["ready"] && found.canSendWriteWithoutResponse)
    central.forget()
    // Each time it is used up there is one more call, and nothing is lost.
    var rounds = 0
    central.reactions["ready"] = {
      rounds += 1
      if rounds < 3 { fill() }
    }
    central.queue.sync { fill() }
    await meeting.world.settle()
    #expect(central.told == ["ready", "ready", "ready"])
    let accessory = try #require(meeting.accessory)
    #expect(accessory.batches.map { $0.map(\.value) } == (0..<written).map { [Data([UInt8($0)])] })
    #expect(accessory.told.filter { !$0.hasPrefix("wrote 1 to FFF1") } == [])
    // No call comes where the space was never used up.
    central.forget()
    found.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
    await meeting.world.settle()
    #expect(central.told.isEmpty)
  }

  @Test("B6.7 operations are performed in the order of the calls, whatever their kind")
  func order() async throws {
    let services = [
      CBMutableService("FFF0", ["FFF1", "FFF2", "FFF3"].map { Meeting.characteristic($0) })
    ]
    let meeting = try await Meeting.talking(services, prepare: { $0.setMaximumTransmissionUnit(23) })
    let found = meeting.found
    let (one, two, three) = (
      try meeting.characteristic("FFF1"), try meeting.characteristic("FFF2"), try meeting.characteristic("FFF3")
    )
    let long = Data((0..<40).map { UInt8($0) })
    found.writeValue(Data([1]), for: one, type: .withResponse)
    found.readValue(for: one)
    found.writeValue(Data([2]), for: two, type: .withoutResponse)
    found.writeValue(long, for: three, type: .withResponse)
    found.setNotifyValue(true, for: two)
    found.writeValue(Data([3]), for: two, type: .withoutResponse)
    found.readValue(for: two)
    found.discoverDescriptors(for: three)
    found.readValue(for: three)
    await found.write(Data([4]), to: one, in: meeting.world)
    #expect(
      meeting.central.told == [
        "wrote FFF1", "value FFF1 01", "wrote FFF3", "notifying FFF2 true", "value FFF2 03", "descriptors FFF3",
        "value FFF3 \(long.hexadecimal)", "wrote FFF1",
      ])
    let accessory = try #require(meeting.accessory)
    #expect(
      accessory.told.filter { !$0.contains("FFF3") } == [
        "wrote 1 to FFF1", "read FFF1 at 0", "wrote 1 to FFF2", "subscribed FFF2", "wrote 1 to FFF2", "read FFF2 at 0",
        "wrote 1 to FFF1",
      ])
    let written = accessory.batches.joined().filter { $0.characteristic.uuid != .of("FFF3") }
    #expect(written.map(\.value) == [Data([1]), Data([2]), Data([3]), Data([4])])
  }

  @Test("B6.8 other descriptors can be written, with one answer")
  func descriptors() async throws {
    let table = AttributeTable(properties: 0x02)
    let handle = table.add(0x2901, Array("old".utf8))
    let meeting = try await Meeting.talking(to: table)
    let characteristic = try meeting.characteristic()
    await meeting.found.discoverDescriptors(for: characteristic, in: meeting.world)
    let descriptor = try #require(characteristic.descriptors?.first)
    meeting.found.writeValue(Data("new".utf8), for: descriptor)
    await meeting.world.settle()
    table.refuse(0x03, at: handle)
    meeting.found.writeValue(Data("newer".utf8), for: descriptor)
    await meeting.world.settle()
    #expect(
      meeting.central.told == ["descriptors FFF1", "wrote descriptor 2901", "wrote descriptor 2901 error 3"])
    #expect(table.value(at: handle) == Array("new".utf8))
  }

  @Test("B6.8 writing the client configuration by hand ends the program with Apple's text")
  func clientConfiguration() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let meeting = try await Meeting.talking()
      let characteristic = try meeting.characteristic()
      await meeting.found.discoverDescriptors(for: characteristic, in: meeting.world)
      let descriptor = try #require(characteristic.descriptors?.first { $0.uuid == .of("2902") })
      meeting.found.writeValue(Data([1, 0]), for: descriptor)
    }
    #expect(
      result.text.contains(
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:"))
  }

  @Test("B6.9 writing to a characteristic that is not of a peripheral ends the program")
  func foreignCharacteristic() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let meeting = try await Meeting.talking()
      meeting.found.writeValue(Data([1]), for: Meeting.characteristic("FFF1"), type: .withResponse)
    }
    #expect(result.text.contains("unrecognized selector sent to instance <CBMutableCharacteristic: 0x"))
  }
}
