import BLECore
import Testing

@testable import BLEHost

@Suite struct ReportAssemblerTests {
  private func report(_ address: UInt64, _ data: [UInt8], isScanResponse: Bool = false) -> AdvertisingReport {
    AdvertisingReport(
      address: DeviceAddress(address, kind: .random), isConnectable: true, isScanResponse: isScanResponse,
      isLegacy: false, rssi: -40, data: data[...])
  }

  @Test("parts of one advertisement become one")
  func partsOfOneAdvertisementBecomeOne() {
    var assembler = ReportAssembler()
    #expect(assembler.add(report(1, [1, 2]), set: 0, .moreToCome) == nil)
    // Another device, another set and a scan response in between are separate advertisements.
    #expect(assembler.add(report(2, [9]), set: 0, .complete)?.data == [9])
    #expect(assembler.add(report(1, [8]), set: 1, .complete)?.data == [8])
    #expect(assembler.add(report(1, [7], isScanResponse: true), set: 0, .complete)?.data == [7])
    #expect(assembler.add(report(1, [3]), set: 0, .moreToCome) == nil)
    #expect(assembler.add(report(1, [4, 5]), set: 0, .complete)?.data == [1, 2, 3, 4, 5])
    #expect(assembler.add(report(1, [6]), set: 0, .complete)?.data == [6])
  }

  @Test("an advertisement that a controller truncates is reported as far as it goes")
  func whatAControllerCutsIsToldAsFarAsItGoes() {
    var assembler = ReportAssembler()
    #expect(assembler.add(report(1, [1, 2]), set: 0, .moreToCome) == nil)
    #expect(assembler.add(report(1, [3]), set: 0, .truncated)?.data == [1, 2, 3])
    #expect(assembler.add(report(1, [4]), set: 0, .truncated)?.data == [4])
  }

  @Test("an advertisement that never ends is dropped, and the next one counts")
  func anAdvertisementThatNeverEndsIsDroppedAndTheNextOneCounts() {
    var assembler = ReportAssembler()
    let part = [UInt8](repeating: 7, count: 229)
    for _ in 0..<100_000 { #expect(assembler.add(report(1, part), set: 0, .moreToCome) == nil) }
    #expect(assembler.add(report(1, part), set: 0, .complete) == nil)
    #expect(assembler.droppedCount == 1)
    #expect(assembler.add(report(1, [1]), set: 0, .complete)?.data == [1])
  }

  @Test("advertisements that are begun and never ended use little memory")
  func advertisementsThatAreBegunAndNeverEndedHoldLittleMemory() {
    var assembler = ReportAssembler()
    for address in 0..<10_000 {
      #expect(assembler.add(report(UInt64(address), [1]), set: 0, .moreToCome) == nil)
    }
    #expect(assembler.droppedCount == 10_000 - ReportAssembler.chainLimit)
    // The newest are still there.
    #expect(assembler.add(report(9_999, [2]), set: 0, .complete)?.data == [1, 2])
    #expect(assembler.add(report(0, [2]), set: 0, .complete)?.data == [2])
  }
}
