import Foundation
import Testing

@testable import Thermostat

/// What needs no Bluetooth: it runs in milliseconds, on any system.
@Suite("Thermostat: units")
struct UnitTests {
  @Test("I14.7 the checksum is that of the published check value")
  func checksum() {
    #expect(Checksum.of(Data("123456789".utf8)) == 0x29B1)
    #expect(Checksum.of(Data()) == 0xFFFF)
  }

  @Test(
    "I14.7 temperatures are two octets, negative ones as well", arguments: [Int16.min, -2_150, -1, 0, 1, 2_150, .max])
  func temperatures(hundredths: Int16) {
    #expect(TemperatureValue.hundredths(TemperatureValue.octets(hundredths)) == hundredths)
    #expect(TemperatureValue.octets(0x0102) == Data([0x02, 0x01]))
  }

  @Test("I14.7 octets that are too short, too long or of another kind are no message")
  func damagedMessages() {
    for length in [0, 1, 3] { #expect(TemperatureValue.hundredths(Data(count: length)) == nil) }
    let command = UpdateCommand.begin(size: 70_000, checksum: 0xBEEF).octets
    #expect(UpdateCommand(command) == .begin(size: 70_000, checksum: 0xBEEF))
    for length in 0..<command.count { #expect(UpdateCommand(command.prefix(length)) == nil) }
    #expect(UpdateCommand(command + Data([0])) == nil)
    // A slice does not begin at 0.
    #expect(UpdateCommand((Data([9]) + command).dropFirst()) == .begin(size: 70_000, checksum: 0xBEEF))
    let answer = UpdateAnswer.expects(offset: 480).octets
    #expect(UpdateAnswer(answer) == .expects(offset: 480))
    for length in 0..<answer.count { #expect(UpdateAnswer(answer.prefix(length)) == nil) }
    #expect(UpdateAnswer(UpdateAnswer.complete.octets) == .complete)
    #expect(UpdateAnswer(Data([0x07])) == nil)
  }

  @Test("I14.7 an image arrives whole with fragments of any length", arguments: [1, 20, 62, 244, 512])
  func transfer(length: Int) throws {
    let image = Data((0..<1_300).map { UInt8(truncatingIfNeeded: $0) })
    var (transfer, store) = (UpdateTransfer(image: image), ImageStore())
    var answer = store.begin(.begin(size: 1_300, checksum: Checksum.of(image)))
    var blocks = 0
    while case .expects(let offset) = answer, blocks < 4, transfer.begin(at: Int(offset)) {
      blocks += 1
      while let fragment = transfer.nextFragment(upTo: length) {
        #expect(fragment.count <= length)
        if let next = store.add(fragment) { answer = next }
      }
      #expect(transfer.isBlockHandedOver && transfer.isLastBlock == (blocks == 3))
    }
    #expect(answer == .complete && store.firmware == image && blocks == 3)
  }

  @Test("I14.7 an interrupted image continues at the last confirmed block, another image begins with nothing")
  func resumed() {
    let (image, other) = (Data(repeating: 1, count: 1_000), Data(repeating: 2, count: 1_000))
    var store = ImageStore()
    let begin = UpdateCommand.begin(size: 1_000, checksum: Checksum.of(image))
    let first = store.begin(begin)
    let confirmed = store.add(Self.block(of: image, at: 0))
    let fragment = store.add(Self.block(of: image, at: 480).prefix(100))
    let again = store.begin(begin)
    let another = store.begin(.begin(size: 1_000, checksum: Checksum.of(other)))
    #expect(first == .expects(offset: 0) && confirmed == .expects(offset: 480) && fragment == nil)
    #expect(again == .expects(offset: 480) && another == .expects(offset: 0))
  }

  @Test("I14.7 a damaged, repeated or misplaced block is not stored")
  func damagedBlock() {
    let image = Data(repeating: 7, count: 900)
    var store = ImageStore()
    _ = store.begin(.begin(size: 900, checksum: Checksum.of(image)))
    let block = Self.block(of: image, at: 0)
    var damaged = block
    damaged[10] ^= 1
    let answers = [damaged, block, block, Self.block(of: image, at: 420)].map { store.add($0) }
    #expect(answers == [0, 480, 480, 480].map { .expects(offset: $0) })
  }

  @Test("I14.7 an offset outside of the image begins no block", arguments: [900, -1, Int.max, Int.min])
  func hostileOffset(_ offset: Int) {
    var transfer = UpdateTransfer(image: Data(count: 900))
    let hasBegun = transfer.begin(at: offset)
    #expect(!hasBegun && transfer.isBlockHandedOver)
  }

  private static func block(of image: Data, at offset: Int) -> Data {
    var transfer = UpdateTransfer(image: image)
    _ = transfer.begin(at: offset)
    return transfer.nextFragment(upTo: 1_000) ?? Data()
  }
}
