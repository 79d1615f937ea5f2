import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("Values of a peripheral")
struct ValueTests {
  private static let readable: UInt8 = 0x02
  private static let everything: UInt8 = 0x3E

  @Test("a read is answered with the value set")
  func read() async throws {
    let fixture = try await ConnectedFixture()
    fixture.link.values[ScriptedLink.value] = [1, 2, 3]
    fixture.peripheral.readValue(for: fixture.characteristic)
    #expect(fixture.characteristic.value == nil)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["value [1, 2, 3]"])
  }

  @Test(
    "a failure arrives with the peer's code",
    arguments: [
      (UInt8(0x02), CBATTError.Code.readNotPermitted, "Reading is not permitted."),
      (0x05, .insufficientAuthentication, "Authentication is insufficient."),
      (0x0F, .insufficientEncryption, "Encryption is insufficient."),
      (0x80, CBATTError.Code(rawValue: 0x80)!, "Unknown ATT error."),
      (0xFD, CBATTError.Code(rawValue: 0xFD)!, "Unknown ATT error."),
    ])
  func failure(_ code: UInt8, _ expected: CBATTError.Code, _ text: String) async throws {
    let fixture = try await ConnectedFixture()
    fixture.link.errors[ScriptedLink.value] = .attribute(code: code)
    fixture.peripheral.readValue(for: fixture.characteristic)
    fixture.peripheral.writeValue(Data([1]), for: fixture.characteristic, type: .withResponse)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["value []", "wrote"])
    for error in fixture.recorder.errors {
      #expect((error as? CBATTError)?.code == expected)
      #expect((error as NSError).domain == CBATTErrorDomain)
      #expect((error as NSError).code == Int(code))
      #expect(error.localizedDescription == text)
    }
  }

  @Test("a read without the property is for the peer to refuse")
  func readWithoutProperty() async throws {
    let fixture = try await ConnectedFixture(properties: 0x08)
    fixture.peripheral.readValue(for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.link.asked.contains("read 0x0012"))
  }

  @Test(
    "pending notifications take bounded room; dropped ones are logged; afterwards everything works"
  )
  func flood() async throws {
    let fixture = try await ConnectedFixture()
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    await fixture.adapter.settle()
    fixture.recorder.clear()
    let link = fixture.link
    // All of it before the program's queue runs.
    var taken = 0
    await link.tell { events in
      for number in 0..<70_000 {
        let value = withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
        if events.link(link, didReceive: value[...], of: ScriptedLink.value) { taken += 1 }
      }
    }
    #expect(taken == 65_536, "an indication that is dropped is not to be confirmed")
    #expect(fixture.recorder.told.count == 65_536)
    #expect(fixture.recorder.told.last == "value [0, 0, 255, 255]", "those that were there first")
    let lines = fixture.adapter.lines.texts.filter { $0.hasPrefix("Values of peers dropped: ") }
    #expect(lines.count == 13, "4,464 are dropped, and told at 1, 2, 4 ... 4,096")
    #expect(lines.last?.contains("dropped: 4096. 65536 events wait for the queue of this manager, 'program'") == true)
    fixture.recorder.clear()
    await link.notify([7], of: ScriptedLink.value)
    #expect(fixture.recorder.told == ["value [7]"])
  }

  @Test("notifications arrive in the same callback as reads")
  func notification() async throws {
    let fixture = try await ConnectedFixture()
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["notifying true"])
    await fixture.link.notify([7], of: ScriptedLink.value)
    await fixture.link.notify([8], of: ScriptedLink.value)
    #expect(fixture.recorder.told.dropFirst() == ["value [7]", "value [8]"])
    await fixture.link.notify([9], of: AttributeHandle(0x0999))
    #expect(fixture.recorder.told.count == 3)
  }

  @Test("setting the present state is answered without traffic")
  func redundantNotify() async throws {
    let fixture = try await ConnectedFixture()
    for isOn in [false, true, true, false] {
      fixture.peripheral.setNotifyValue(isOn, for: fixture.characteristic)
      await fixture.adapter.settle()
    }
    #expect(
      fixture.recorder.told == ["notifying false", "notifying true", "notifying true", "notifying false"])
    #expect(fixture.link.asked.filter { $0.hasPrefix("notify") } == ["notify 0x0012 true", "notify 0x0012 false"])
  }

  @Test("on and off without waiting ends with off")
  func quickNotify() async throws {
    let fixture = try await ConnectedFixture()
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    fixture.peripheral.setNotifyValue(false, for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["notifying true", "notifying false"])
    #expect(!fixture.characteristic.isNotifying)
  }

  @Test(
    "a characteristic that cannot notify fails with request not supported; a missing configuration is the stack's error"
  )
  func impossibleNotify() async throws {
    let fixture = try await ConnectedFixture(properties: 0x0A)
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["notifying false"])
    #expect(fixture.recorder.codes == [CBATTError.requestNotSupported.rawValue])
    let other = try await ConnectedFixture()
    other.link.notifyError = .attribute(code: 0x0A)
    other.peripheral.setNotifyValue(true, for: other.characteristic)
    await other.adapter.settle()
    #expect(other.recorder.codes == [CBATTError.attributeNotFound.rawValue])
    #expect(!other.characteristic.isNotifying)
  }

  @Test("a write is answered and does not change the local value")
  func write() async throws {
    let fixture = try await ConnectedFixture()
    for count in [0, 1, 20, 512] {
      fixture.peripheral.writeValue(
        Data(repeating: 0x41, count: count), for: fixture.characteristic, type: .withResponse)
      await fixture.adapter.settle()
      #expect(fixture.link.values[ScriptedLink.value]?.count == count)
    }
    #expect(fixture.recorder.told == ["wrote", "wrote", "wrote", "wrote"])
    #expect(fixture.characteristic.value == nil)
  }

  @Test("an impossible write is refused here, and never dropped silently")
  func impossibleWrite() async throws {
    let fixture = try await ConnectedFixture(properties: Self.readable)
    fixture.peripheral.writeValue(Data([1]), for: fixture.characteristic, type: .withResponse)
    fixture.peripheral.writeValue(Data([1]), for: fixture.characteristic, type: .withoutResponse)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["wrote"])
    #expect(fixture.recorder.codes == [CBATTError.writeNotPermitted.rawValue])
    #expect(fixture.adapter.lines.contains("WARNING: Characteristic"))
    #expect(fixture.link.commands.isEmpty)
    let other = try await ConnectedFixture()
    other.peripheral.writeValue(Data(count: 513), for: other.characteristic, type: .withResponse)
    await other.adapter.settle()
    #expect(other.recorder.codes == [CBATTError.invalidAttributeValueLength.rawValue])
  }

  @Test("the longest values follow from the MTU")
  func lengths() async throws {
    let fixture = try await ConnectedFixture()
    #expect(fixture.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
    #expect(fixture.peripheral.maximumWriteValueLength(for: .withoutResponse) == 182)
    await fixture.link.tell { $0.link(fixture.link, didUpdateMaximumTransmissionUnit: 247) }
    #expect(fixture.peripheral.maximumWriteValueLength(for: .withoutResponse) == 244)
    await fixture.link.tell { $0.link(fixture.link, didUpdateMaximumTransmissionUnit: 517) }
    #expect(fixture.peripheral.maximumWriteValueLength(for: .withoutResponse) == 512)
    fixture.peripheral.writeValue(Data(count: 600), for: fixture.characteristic, type: .withoutResponse)
    await fixture.adapter.settle()
    #expect(fixture.link.commands.map(\.value.count) == [512])
  }

  @Test("operations that do not wait for one another are answered in their order")
  func order() async throws {
    let fixture = try await ConnectedFixture()
    fixture.link.values[ScriptedLink.value] = [1]
    fixture.peripheral.readValue(for: fixture.characteristic)
    fixture.peripheral.writeValue(Data([2]), for: fixture.characteristic, type: .withResponse)
    fixture.peripheral.readValue(for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["value [1]", "wrote", "value [2]"])
  }
}

@Suite("Writes without response")
struct WriteWithoutResponseTests {
  @Test("there is space at first, then none, and the program is called once when it is back")
  func flowControl() async throws {
    let fixture = try await ConnectedFixture()
    var written = 0
    while fixture.peripheral.canSendWriteWithoutResponse, written < 1_000 {
      fixture.peripheral.writeValue(Data([UInt8(written)]), for: fixture.characteristic, type: .withoutResponse)
      written += 1
    }
    #expect(written == 32)
    await fixture.adapter.settle()
    #expect(fixture.link.commands.count == 32)
    await fixture.link.send(1)
    #expect(fixture.recorder.told.isEmpty)
    #expect(!fixture.peripheral.canSendWriteWithoutResponse)
    await fixture.link.send(31)
    #expect(fixture.recorder.told == ["ready true"])
    fixture.peripheral.writeValue(Data([1]), for: fixture.characteristic, type: .withoutResponse)
    await fixture.adapter.settle()
    await fixture.link.send(1)
    #expect(fixture.recorder.told == ["ready true"])
  }

  @Test("I16.2 writes without response keep their places among other calls, whole or cut, in batches of any length")
  func places() async throws {
    let fixture = try await ConnectedFixture()
    let (peripheral, characteristic) = (fixture.peripheral, fixture.characteristic)
    let long = [UInt8](repeating: 7, count: 200)
    for round in 0..<3 {
      let first = UInt8(3 * round)
      for value in [[first], [first + 1, 0xFF], [], long] {
        // Not the beginning of its memory.
        peripheral.writeValue(Data([9] + value).dropFirst(), for: characteristic, type: .withoutResponse)
      }
      peripheral.readValue(for: characteristic)
      peripheral.writeValue(Data([first + 2]), for: characteristic, type: .withoutResponse)
      fixture.central.manager.stopScan()
    }
    await fixture.adapter.settle()
    let expected = (0..<3).flatMap { round in
      let first = 3 * round
      return [
        "command [\(first)]", "command [\(first + 1), 255]", "command []", "command \(Array(long.prefix(182)))",
        "read 0x0012", "command [\(first + 2)]",
      ]
    }
    #expect(fixture.link.asked.filter { $0.hasPrefix("command") || $0.hasPrefix("read") } == expected)
  }

  @Test("a program that ignores the space may have many writes pending, up to a limit")
  func limit() async throws {
    let fixture = try await ConnectedFixture()
    for _ in 0..<2_000 {
      fixture.peripheral.writeValue(Data([1]), for: fixture.characteristic, type: .withoutResponse)
    }
    await fixture.adapter.settle()
    #expect(fixture.link.commands.count == 1_024)
    #expect(fixture.adapter.lines.contains("one is dropped"))
    await fixture.link.send(1_024)
    #expect(fixture.recorder.told == ["ready true"])
  }

  @Test("there is no space without a connection")
  func disconnected() async throws {
    let fixture = try await ConnectedFixture()
    #expect(fixture.peripheral.canSendWriteWithoutResponse)
    await fixture.adapter.central.tell { $0.central(didDisconnect: .first, reason: .lost) }
    #expect(!fixture.peripheral.canSendWriteWithoutResponse)
  }
}

@Suite("Signal strength")
struct SignalStrengthTests {
  @Test("requested every tenth of a second it is answered once a second")
  func often() async throws {
    let fixture = try await ConnectedFixture()
    for _ in 0..<100 {
      fixture.peripheral.readRSSI()
      await fixture.adapter.advance(by: .milliseconds(100))
    }
    #expect((10...11).contains(fixture.recorder.told.count))
    #expect(fixture.recorder.told.allSatisfy { $0 == "rssi -42" })
    let reads = fixture.link.rssiReads
    #expect(zip(reads, reads.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
  }

  @Test("requested less often it is answered at that rate")
  func slowly() async throws {
    let fixture = try await ConnectedFixture()
    for count in 1...5 {
      fixture.peripheral.readRSSI()
      await fixture.adapter.advance(by: .milliseconds(1_100))
      #expect(fixture.recorder.told.count == count)
    }
  }

  @Test("requested once more within the second it is answered when the second is over")
  func twice() async throws {
    let fixture = try await ConnectedFixture()
    fixture.peripheral.readRSSI()
    await fixture.adapter.settle()
    let start = fixture.adapter.virtualLoop.now
    fixture.peripheral.readRSSI()
    await fixture.adapter.settle()
    #expect(fixture.recorder.told.count == 2)
    #expect(fixture.adapter.virtualLoop.now - start == .seconds(1))
  }

  @Test("without a connection it is an error")
  func notConnected() async throws {
    let central = await CentralFixture()
    let peripheral = try await central.found()
    peripheral.delegate = central.recorder
    peripheral.readRSSI()
    await central.adapter.settle()
    #expect(central.recorder.told == ["rssi 127"])
    #expect((central.recorder.errors.first as? CBError)?.code == .notConnected)
  }
}
