import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 5: the signal's strength", .keepsCapture)
struct CentralSignalStrengthTests {
  /// `@unchecked Sendable`: called on one serial queue, looked at while the world is not running.
  private final class Newer: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    var answers: [(NSNumber, CBError.Code?)] = []
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
      answers.append((RSSI, (error as? CBError)?.code))
    }
  }

  /// As programs from before iOS 8 implement it.
  private final class Older: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    var errors: [CBError.Code?] = []
    @available(*, deprecated)
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {
      errors.append((error as? CBError)?.code)
    }
  }

  @Test("B5.10 readRSSI is answered with dBm, and with not connected where there is no connection")
  func newer() async throws {
    let meeting = try await Meeting.withTag().connected()
    let delegate = Newer()
    meeting.found.delegate = delegate
    meeting.found.readRSSI()
    await meeting.world.settle()
    meeting.tag?.disconnect()
    await meeting.world.advance(by: .seconds(2))
    meeting.found.readRSSI()
    await meeting.world.settle()
    #expect(delegate.answers.count == 2)
    #expect((-100..<0).contains(try #require(delegate.answers.first).0.intValue))
    #expect(delegate.answers.first?.1 == nil && delegate.answers.last?.1 == .notConnected)
  }

  @Test("B5.10 the older callback is called where the newer is missing, and the rssi property holds the read value")
  @available(*, deprecated)
  func older() async throws {
    let meeting = try await Meeting.withTag().connected()
    let delegate = Older()
    meeting.found.delegate = delegate
    #expect(meeting.found.rssi == nil)
    meeting.found.readRSSI()
    await meeting.world.settle()
    #expect(delegate.errors == [nil])
    #expect((-100..<0).contains(try #require(meeting.found.rssi).intValue))
    meeting.tag?.disconnect()
    await meeting.world.advance(by: .seconds(2))
    meeting.found.readRSSI()
    await meeting.world.settle()
    #expect(delegate.errors == [nil, .notConnected])
  }
}
