import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 3: the options of connect", .keepsCapture)
struct CentralConnectOptionTests {
  @Test(
    "B3.6 a start delay delays the attempt",
    arguments: [5 as Any, 5.0 as Any, NSNumber(value: 5)].map { Delay($0) })
  func startDelay(_ delay: Delay) async throws {
    let meeting = try await Meeting.withTag()
    meeting.central.manager.connect(meeting.found, options: [CBConnectPeripheralOptionStartDelayKey: delay.value])
    await meeting.world.advance(by: .milliseconds(4_990))
    #expect(meeting.tag?.connectionCount == 0 && meeting.found.state == .connecting)
    await meeting.world.advance(by: .seconds(2))
    #expect(meeting.central.told == ["connected tag"])
  }

  /// `@unchecked Sendable`: a constant number.
  struct Delay: @unchecked Sendable, CustomTestStringConvertible {
    let value: Any
    init(_ value: Any) { self.value = value }
    var testDescription: String { "\(type(of: value))" }
  }

  @Test("B3.6 a start delay can be cancelled, and no attempt follows")
  func cancelledDelay() async throws {
    let meeting = try await Meeting.withTag()
    meeting.central.manager.connect(meeting.found, options: [CBConnectPeripheralOptionStartDelayKey: 5])
    await meeting.world.advance(by: .seconds(1))
    meeting.central.manager.cancelPeripheralConnection(meeting.found)
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["disconnected tag"] && meeting.tag?.connectionCount == 0)
  }

  @Test("B3.6 the three notify options are lines in the log", arguments: [true, false])
  func alerts(areWanted: Bool) async throws {
    let meeting = try await Meeting.withAccessory()
    meeting.central.manager.connect(
      meeting.found,
      options: [
        CBConnectPeripheralOptionNotifyOnConnectionKey: areWanted,
        CBConnectPeripheralOptionNotifyOnDisconnectionKey: areWanted as NSNumber,
        CBConnectPeripheralOptionNotifyOnNotificationKey: areWanted,
      ])
    await meeting.world.advance(by: .seconds(2))
    _ = try await meeting.walked()
    let characteristic = try meeting.characteristic()
    await meeting.found.notify(true, characteristic, in: meeting.world)
    let line = try #require(meeting.accessory?.subscribers.first).identifier
    #expect(line != meeting.found.identifier)
    for number in 0..<3 {
      meeting.accessory?.push(Data([UInt8(number)]), "FFF1")
      await meeting.world.settle()
    }
    meeting.device?.cutPower()
    await meeting.world.advance(by: .seconds(30))
    let notices = meeting.world.logLines.filter { $0.level == .notice && $0.text.contains("<CBPeripheral: 0x") }
    let endings = ["has connected", "has sent a notification", "has disconnected"]
    #expect(notices.count == (areWanted ? 3 : 0))
    for (notice, ending) in zip(notices, endings) { #expect(notice.text.hasSuffix(ending)) }
  }

  @Test("B3.6 the options of other systems are accepted")
  func otherSystems() async throws {
    let meeting = try await Meeting.withTag()
    meeting.central.manager.connect(
      meeting.found,
      options: [
        CBConnectPeripheralOptionEnableTransportBridgingKey: true, CBConnectPeripheralOptionRequiresANCS: true,
      ])
    await meeting.world.advance(by: .seconds(2))
    #expect(meeting.central.told == ["connected tag"])
  }

  @Test("B3.7 unknown options are ignored")
  func unknownOptions() async throws {
    let meeting = try await Meeting.withTag()
    meeting.central.manager.connect(meeting.found, options: ["kCBConnectOptionOfTomorrow": ["whatever": NSNull()]])
    await meeting.world.advance(by: .seconds(2))
    #expect(meeting.central.told == ["connected tag"] && meeting.complaints.isEmpty)
  }

  @Test("B3.7 a start delay together with automatic reconnection fails with invalid parameters")
  func contradiction() async throws {
    let meeting = try await Meeting.withTag()
    meeting.central.manager.connect(
      meeting.found,
      options: [CBConnectPeripheralOptionStartDelayKey: 1, CBConnectPeripheralOptionEnableAutoReconnect: true])
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["failed tag error \(CBError.invalidParameters.rawValue)"])
    #expect(meeting.found.state == .disconnected && meeting.tag?.connectionCount == 0)
  }
}
