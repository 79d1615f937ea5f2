import BLECore
import Testing

@Suite("Writing octets into the memory of others")
struct ByteWriterTests {
  private func write(_ count: Int, in room: consuming [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: count, in: consume room)
    for value in 0..<count { writer.append(UInt8(truncatingIfNeeded: value)) }
    return writer.takeOctets()
  }

  @Test("I16.2 octets that something has kept are as they were, and what is written next is not as long as they are")
  func kept() {
    var kept = [write(255, in: [])]
    for _ in 0..<100 { kept.append(write(8, in: kept.last ?? [])) }
    #expect(kept[0] == (0..<255).map { UInt8($0) } && kept.dropFirst().allSatisfy { $0 == [0, 1, 2, 3, 4, 5, 6, 7] })
    #expect(kept.dropFirst().allSatisfy { $0.capacity < 64 }, "\(kept.map(\.capacity))")
  }

  @Test("I16.2 octets that nothing has kept are written over in their place")
  func unkept() {
    var octets = write(255, in: [])
    let place = octets.withUnsafeBytes { $0.baseAddress }
    for count in [8, 200, 100] {
      octets = write(count, in: consume octets)
      #expect(octets.count == count && octets.withUnsafeBytes { $0.baseAddress } == place)
    }
  }
}
