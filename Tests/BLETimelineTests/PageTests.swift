import BLECapture
import BLECore
import BLETimeline
import BLEWire
import Foundation
import Measurements
import Testing

/// What is in a page.
@Suite struct PageTests {
  @Test("I14.6 a page loads nothing, and nothing that a device is called can be run in it")
  func inert() throws {
    let hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)><\u{301}b>\u{2028}\"\\\u{0}"
    let maker = PageMaker(title: hostile, devices: [hostile])
    maker.writer.addNote(hostile)
    let name = Array("</script><b>".utf8)
    let data = [UInt8(name.count + 1), 0x09] + name
    maker.packet(
      HCIPacket(
        LEAdvertisingReportEvent(reports: [
          LEAdvertisingReportEvent.Report(
            type: .connectable, address: HCIAddress(type: .random, value: 0xC012_3456_789A), data: data[...], rssi: -60)
        ])), .received)
    maker.mark(.fault(hostile), device: 0)
    let page = try maker.page()
    // What closes an element, or opens one, stands only where the page itself has it.
    #expect(page.html.components(separatedBy: "</script").count == 5)
    #expect(page.html.components(separatedBy: "<script").count == 5)
    for piece in ["<img", "<b>", "<!--"] { #expect(!page.html.utf8.contains(Array(piece.utf8)), "\(piece)") }
    #expect(page.html.contains("default-src 'none'") && !page.html.contains("unsafe-"))
    for word in ["http://", "https://", "<script src", "href=", "innerHTML", "eval("] {
      #expect(!page.html.contains(word))
    }
    // And yet it is all there.
    #expect(page.devices == [hostile] && page.notes == [hostile])
    #expect(page.rows[0].text.contains("</script><b>") && page.rows[0].peer == "</script><b>")
    #expect(page.rows[1].kind == 3 && page.rows[1].text == hostile)
  }

  @Test("I14.6 keys are not in a page, neither as text nor as octets")
  func keys() throws {
    let key = [UInt8](repeating: 0xA5, count: 16)
    for takesSecretsOut in [true, false] {
      let maker = PageMaker(takesSecretsOut: takesSecretsOut)
      maker.data([0x06] + key, .sent, channel: 6)
      maker.packet(HCIPacket(kind: .command, octets: [0x1A, 0x20, 18, 0x40, 0] + key), .sent)
      maker.data([0x04] + key, .received, channel: 6)
      let page = try maker.page()
      #expect(page.rows.contains { $0.octets.contains(0xA5) } == !takesSecretsOut)
      if takesSecretsOut { #expect(!page.html.lowercased().contains("a5a5")) }
    }
  }

  @Test("I14.6 the packets of the air are shown, those that may carry keys without their octets")
  func air() throws {
    let memory = CaptureMemory()
    let dissection = CaptureDissection(takesSecretsOut: true)
    let writer = TimelineWriter(title: "air", to: memory)
    let device = writer.addDevice("air")
    let advertisement = AirPacket(
      channelIndex: 38, signalPower: -47, accessAddress: AdvertisingChannelPDU.accessAddress,
      pdu: [0x40, 0x0C, 0x9A, 0x78, 0x56, 0x34, 0x12, 0xC0, 0x02, 0x01, 0x06, 0x02, 0x0A, 0x04])
    let pairing = AirPacket(
      channelIndex: 3, accessAddress: 0x1234_5678,
      pdu: [0x02, 21, 17, 0, 6, 0, 4] + [UInt8](repeating: 0xA5, count: 16))
    for air in [advertisement, pairing] {
      writer.add(
        dissection.dissect(CapturedPacket(timestamp: .virtualOrigin, content: .air(air))), device: device)
    }
    writer.finish()
    let page = try ReadPage(memory.octets)
    #expect(page.rows.map(\.octets) == [advertisement.pdu, []])
    #expect(!page.html.contains("a5a5") && page.rows[1].text.contains("of a link on the air"))
  }

  @Test("I14.6 marks, faults and failures stand where they happened, with the time that has passed")
  func marks() throws {
    let maker = PageMaker(devices: ["phone", "lamp"])
    maker.mark(.happening("lamp moves away"), device: 1)
    maker.pass(.seconds(30))
    maker.mark(.fault("the 2nd read is never answered"), device: 1)
    maker.mark(.failure("expected true"))
    let page = try maker.page()
    #expect(page.rows.map(\.kind) == [2, 3, 4] && page.rows.map(\.device) == [2, 2, 0])
    #expect(page.rows.map(\.nanoseconds) == [0, 30_001_000_000, 30_002_000_000])
  }

  @Test("I14.6 a clock that is set back, and times from another world, leave the order of events")
  func clock() throws {
    let memory = CaptureMemory()
    let writer = TimelineWriter(title: "clock", to: memory)
    for nanoseconds in [5, 3, Int64.max, Int64.min, 7] {
      writer.add(.happening("\(nanoseconds)"), at: CaptureTimestamp(nanoseconds: nanoseconds))
    }
    writer.finish()
    let page = try ReadPage(memory.octets)
    #expect(page.rows.map(\.text) == ["5", "3", "\(Int64.max)", "\(Int64.min)", "7"])
    #expect(page.notes.contains { $0.contains("set back") })
    #expect(zip(page.rows, page.rows.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
  }

  /// Takes octets and keeps only their number.
  private final class Counter: CaptureOutput {
    var count = 0
    func append(_ octets: [UInt8]) { count += octets.count }
    func flush() {}
  }

  /// The octets of a page of so many packets, and those of the allocations that are left while it is written.
  private func size(of packets: Int) -> Int {
    let counter = Counter()
    let dissection = CaptureDissection(takesSecretsOut: true)
    let writer = TimelineWriter(title: "long", to: counter)
    let device = writer.addDevice("phone")
    for number in 0..<packets {
      let value = (0..<20).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8) &+ $0) }
      let packet = PageMaker.frame([0x1B, 0x0A, 0] + value)
      writer.add(
        dissection.dissect(
          CapturedPacket(
            timestamp: CaptureTimestamp(nanoseconds: Int64(number) * 7_500_000), content: .hci(packet, .received))),
        device: device)
    }
    writer.finish()
    return counter.count
  }

  @Test("I14.6 a page grows by less than 320 octets for a notification of 20 octets, and in proportion")
  func growth() {
    let (none, small, large) = (size(of: 0), size(of: 400), size(of: 4_000))
    let (few, many) = (Double(small - none) / 400, Double(large - none) / 4_000)
    #expect(none < 60_000 && many < 320 && many < few * 1.1, "\(none), \(few) and \(many) octets")
  }

  @Test("I14.B a page that cannot be written says why, and takes no more")
  func unwritable() {
    final class Full: CaptureOutput {
      var calls = 0
      func append(_ octets: [UInt8]) throws(CaptureError) {
        calls += 1
        throw CaptureError(.file, "no room")
      }
      func flush() throws(CaptureError) { throw CaptureError(.file, "still no room") }
    }
    let full = Full()
    let writer = TimelineWriter(title: "full", to: full)
    for _ in 0..<5_000 { writer.add(.happening("x"), at: .virtualOrigin) }
    writer.finish()
    #expect(writer.failure?.description == "no room" && full.calls == 1)
  }

  @Test("I14.B more devices than a page has lanes for share the last")
  func manyDevices() throws {
    let maker = PageMaker(devices: (0..<70).map { "device \($0)" })
    let page = try maker.page()
    #expect(page.devices.count == 64 && page.devices.last == "others")
  }
}
