import BLECapture
import BLETimeline
import BLEWire
import Testing

/// Which events of a page are joined.
@Suite struct JoinTests {
  /// LE Connection Complete: success, the link's handle, as central, of C0:12:34:56:78:9A.
  private static let connected = HCIPacket(
    kind: .event,
    octets: [0x3E, 19, 0x01, 0, 0x40, 0, 0, 1, 0x9A, 0x78, 0x56, 0x34, 0x12, 0xC0, 24, 0, 0, 0, 72, 0, 0])
  private static let connect = HCIPacket(
    kind: .command,
    octets: [0x0D, 0x20, 25] + [UInt8](repeating: 0, count: 5) + [1, 0x9A, 0x78, 0x56, 0x34, 0x12, 0xC0]
      + [UInt8](repeating: 0, count: 13))

  @Test("I14.6 a connection is joined from the call over the command and the event to the callback")
  func connection() throws {
    let maker = PageMaker()
    maker.call("connect(_:options:)")
    maker.packet(Self.connect, .sent)
    maker.packet(HCIPacket(kind: .event, octets: [0x0F, 4, 0, 1, 0x0D, 0x20]), .received)
    maker.packet(Self.connected, .received)
    maker.callback("centralManager(_:didConnect:)")
    maker.call("cancelPeripheralConnection(_:)")
    maker.packet(HCIPacket(kind: .command, octets: [0x06, 0x04, 3, 0x40, 0, 0x13]), .sent)
    maker.packet(HCIPacket(kind: .event, octets: [0x05, 4, 0, 0x40, 0, 0x16]), .received)
    maker.callback("centralManager(_:didDisconnectPeripheral:error:)")
    let page = try maker.page()
    #expect(page.rows.map(\.causes) == [[], [0], [1], [1], [3], [], [5], [6], [7]])
    #expect(page.rows[3].peer == "C0:12:34:56:78:9A")
  }

  @Test("I14.6 reads, writes and notifications are joined, whatever the order of their callbacks")
  func values() throws {
    let maker = PageMaker()
    // The characteristics: 2A19 at 0x000A, 2A37 at 0x000D.
    maker.call("discoverCharacteristics(_:for:)", type: 0x180F)
    maker.data([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], .sent)
    maker.data([0x09, 7, 9, 0, 0x12, 0x0A, 0, 0x19, 0x2A, 12, 0, 0x12, 0x0D, 0, 0x37, 0x2A], .received)
    maker.data([0x08, 0x0E, 0, 0xFF, 0xFF, 0x03, 0x28], .sent)
    maker.data([0x01, 0x08, 0x0E, 0, 0x0A], .received)
    maker.callback("peripheral(_:didDiscoverCharacteristicsFor:error:)", type: 0x180F)
    maker.call("readValue(for:)", type: 0x2A19)
    maker.call("setNotifyValue(_:for:)", type: 0x2A37)
    maker.data([0x0A, 0x0A, 0], .sent)
    maker.data([0x1B, 0x0D, 0, 7], .received)
    maker.data([0x0B, 100], .received)
    maker.data([0x12, 0x0E, 0, 1, 0], .sent)
    maker.callback("peripheral(_:didUpdateValueFor:error:)", type: 0x2A37)
    maker.data([0x13], .received)
    maker.callback("peripheral(_:didUpdateValueFor:error:)", type: 0x2A19)
    maker.callback("peripheral(_:didUpdateNotificationStateFor:error:)", type: 0x2A37)
    let page = try maker.page()
    let expected: [[Int]] = [
      [], [0], [1], [0], [3], [4], [], [], [6], [], [8], [7], [9], [11], [10], [13],
    ]
    for (row, causes) in zip(page.rows, expected) { #expect(row.causes == causes, "\(row)") }
    #expect(page.rows[4].isError && !page.rows[2].isError)
  }

  @Test("I14.6 a request of the host's own is not taken for the program's, and its answer ends no call")
  func hostsOwn() throws {
    let maker = PageMaker()
    maker.data([0x0A, 0x03, 0], .sent)
    maker.call("readValue(for:)", type: 0x2A19)
    maker.data([0x0B, 1], .received)
    maker.callback("peripheral(_:didUpdateValueFor:error:)", type: 0x2A19)
    let page = try maker.page()
    #expect(page.rows.map(\.causes) == [[], [], [0], [1]])
  }

  @Test(
    "I14.6 where both sides were recorded, what one sent is joined to what the other received, to its program and back")
  func bothSides() throws {
    let maker = PageMaker(devices: ["phone", "lamp"])
    maker.call("readValue(for:)", type: 0x2A19)
    maker.data([0x0A, 0x0A, 0], .sent)
    maker.data([0x0A, 0x0A, 0], .received, device: 1)
    maker.callback("peripheralManager(_:didReceiveRead:)", type: 0x2A19, device: 1)
    maker.call("respond(to:withResult:)", device: 1)
    maker.data([0x0B, 100], .sent, device: 1)
    maker.data([0x0B, 100], .received)
    maker.callback("peripheral(_:didUpdateValueFor:error:)", type: 0x2A19)
    let page = try maker.page()
    #expect(page.rows.map(\.causes) == [[], [0], [1], [2], [3], [4, 2], [1, 5], [6]])
    #expect(page.rows.map(\.device) == [1, 1, 2, 2, 2, 2, 1, 1])
    #expect(page.devices == ["phone", "lamp"])
  }

  @Test("I14.6 every join leads to an earlier event, however long the page")
  func earlier() throws {
    let maker = PageMaker()
    for number in 0..<3_000 {
      maker.call("readValue(for:)", type: 0x2A19)
      maker.data([0x0A, 0x0A, 0], .sent)
      maker.data([0x0B, UInt8(number & 0xFF)], .received)
      maker.callback("peripheral(_:didUpdateValueFor:error:)", type: 0x2A19)
    }
    let page = try maker.page()
    #expect(page.rows.count == 12_000)
    for (number, row) in page.rows.enumerated() {
      #expect(row.causes == (number % 4 == 0 ? [] : [number - 1]), "\(number): \(row.causes)")
    }
  }
}
