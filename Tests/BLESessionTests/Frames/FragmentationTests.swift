import BLESession
import Foundation
import Testing

@Suite struct FragmentationTests {
  @Test("messages of every length are reassembled from values of every size")
  func roundTrip() throws {
    for maximumLength in [5, 20, 182, 512] {
      var reassembler = Reassembler()
      for (number, length) in [0, 1, 15, 16, 17, 500, 20_000].enumerated() {
        let content = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
        let fragments = try #require(Fragment.split(content, message: UInt16(number), maximumLength: maximumLength))
        var outcomes: [Reassembler.Outcome] = []
        for fragment in fragments {
          #expect(fragment.value.count <= maximumLength)
          outcomes.append(reassembler.append(try #require(Fragment(fragment.value))))
        }
        #expect(outcomes.last == .message(number: UInt16(number), content: content))
        #expect(outcomes.dropLast().allSatisfy { $0 == .incomplete })
      }
    }
  }

  @Test("repeated pieces change nothing, missing ones are reported")
  func doubledAndLost() throws {
    let content = Data((0..<40).map { UInt8($0) })
    let fragments = try #require(Fragment.split(content, message: 1, maximumLength: 14))
    try #require(fragments.count == 4)
    var reassembler = Reassembler()
    #expect(reassembler.append(fragments[0]) == .incomplete)
    #expect(reassembler.append(fragments[0]) == .repeated)
    #expect(reassembler.append(fragments[2]) == .gap(number: 1, expected: 1, found: 2))
    #expect(reassembler.append(fragments[3]) == .repeated)
    for fragment in fragments.dropLast() { #expect(reassembler.append(fragment) == .incomplete) }
    #expect(reassembler.append(fragments[3]) == .message(number: 1, content: content))
    #expect(reassembler.append(fragments[3]) == .repeated)
  }

  @Test("a message over the limit is dropped and the next one is read")
  func limit() throws {
    var reassembler = Reassembler(maximumLength: 10)
    let long = try #require(Fragment.split(Data(count: 100), message: 1, maximumLength: 8))
    let outcomes = long.map { reassembler.append($0) }
    #expect(outcomes.filter { $0 == .tooLong(number: 1) }.count == 1)
    let short = Fragment(message: 2, place: 0, isLast: true, piece: Data([1]))
    #expect(reassembler.append(short) == .message(number: 2, content: Data([1])))
  }

  @Test("values without room, and values that are too short, are refused")
  func refused() {
    #expect(Fragment.split(Data([1]), message: 0, maximumLength: 4) == nil)
    #expect(Fragment.split(Data(count: 40_000), message: 0, maximumLength: 5) == nil)
    #expect(Fragment(Data([1, 2, 3])) == nil)
  }
}
