import BLESession
import Foundation
import Testing

@Suite struct FrameParserTests {
  /// `A5 5A | sequence | type | length, 2 octets | payload | CRC-8/MAXIM | 0D`.
  private let format: FrameFormat

  init() throws {
    format = try FrameFormat(
      start: Data([0xA5, 0x5A]), fields: [.init(.sequence), .init(.type), .init(.length, width: 2, order: .bigEndian)],
      lengthCounts: .payload, check: FrameCheck(.cyclicRedundancyCheck("CRC-8/MAXIM-DOW")), end: Data([0x0D]),
      maximumPayload: 40)
  }

  private func frames(_ findings: [FrameParser.Finding]) -> [Frame] {
    findings.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
  }

  @Test("a frame is laid out as the format says")
  func layout() throws {
    let octets = try format.encode(Frame(type: 0x10, sequence: 7, payload: Data([1, 2, 3])))
    let covered: [UInt8] = [7, 0x10, 0, 3, 1, 2, 3]
    let check = UInt8(CyclicRedundancyCheck.maximDallas8.value(of: covered))
    #expect(octets == Data([0xA5, 0x5A] + covered + [check, 0x0D]))
  }

  @Test("frames are read whole however they are cut")
  func cut() throws {
    let sent = (0..<20).map { Frame(type: 1, sequence: UInt32($0), payload: Data(repeating: 0xA5, count: $0 * 2)) }
    let stream = try sent.reduce(into: Data()) { $0.append(try format.encode($1)) }
    for size in [1, 2, 3, 7, 20, stream.count] {
      var parser = FrameParser(format: format)
      var found: [Frame] = []
      for from in stride(from: 0, to: stream.count, by: size) {
        found += frames(parser.append(stream[from..<min(from + size, stream.count)]))
      }
      #expect(found == sent)
      #expect(parser.pending == 0)
    }
  }

  @Test("X6 every changed octet loses at most that frame and never the next one")
  func resynchronisation() throws {
    let first = try format.encode(Frame(type: 1, sequence: 1, payload: Data([9, 8, 7])))
    let second = try format.encode(Frame(type: 2, sequence: 2, payload: Data([6, 5])))
    let filler = try (3..<9).reduce(into: Data()) { $0.append(try format.encode(Frame(sequence: UInt32($1)))) }
    for index in first.indices {
      for change in [UInt8(0x01), 0x80, 0xFF] {
        var damaged = first
        damaged[index] ^= change
        var parser = FrameParser(format: format)
        let found = frames(parser.append(damaged + second + filler))
        #expect(found.contains(Frame(type: 2, sequence: 2, payload: Data([6, 5]))), "octet \(index) ^ \(change)")
        #expect(!found.contains { $0.sequence == 1 && $0.payload == Data([9, 8, 7]) && $0.type == 1 })
      }
    }
  }

  @Test("noise is reported, and none of it twice")
  func noise() throws {
    var parser = FrameParser(format: format)
    let frame = try format.encode(Frame(payload: Data([1])))
    let findings = parser.append(Data([1, 2, 3]) + frame + Data([4]))
    #expect(
      findings == [
        .rejected(Data([1, 2, 3]), .noStart), .frame(Frame(payload: Data([1]))), .rejected(Data([4]), .noStart),
      ])
  }

  @Test("X6 an impossible length is refused immediately, not waited for")
  func length() {
    var parser = FrameParser(format: format)
    let findings = parser.append(Data([0xA5, 0x5A, 0, 0, 0xFF, 0xFF]))
    #expect(findings == [.rejected(Data([0xA5, 0x5A, 0, 0, 0xFF, 0xFF]), .length(0xFFFF))])
    #expect(parser.pending == 0)
  }

  @Test("X6 random octets never hold more than one frame of memory", arguments: [1, 2, 3, 4] as [UInt64])
  func bounded(seed: UInt64) {
    var state = seed
    var parser = FrameParser(format: format)
    for _ in 0..<2_000 {
      let octets = (0..<20).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 61 == 0 ? 0xA5 : state >> 61 == 1 ? 0x5A : UInt8(truncatingIfNeeded: state >> 40)
      }
      _ = parser.append(octets)
      #expect(parser.pending < 60, "seed \(seed)")
    }
  }

  @Test("an incomplete frame is dropped on request")
  func reset() throws {
    var parser = FrameParser(format: format)
    let octets = try format.encode(Frame(payload: Data([1, 2])))
    #expect(parser.append(octets.dropLast()).isEmpty)
    #expect(parser.reset() == .rejected(Data(octets.dropLast()), .incomplete))
    #expect(parser.reset() == nil)
    #expect(frames(parser.append(octets)).count == 1)
  }

  @Test("frames may end with a marker, or with the value that carries them")
  func otherEnds() throws {
    let lines = try FrameFormat(fields: [], end: Data("\r\n".utf8), maximumPayload: 20)
    var parser = FrameParser(format: lines)
    #expect(frames(parser.append(Data("OK\r".utf8))).isEmpty)
    #expect(frames(parser.append(Data("\n\r\n+X\r\n".utf8))).map(\.payload) == ["OK", "", "+X"].map { Data($0.utf8) })
    #expect(frames(parser.append(Data(repeating: 0x41, count: 500))).isEmpty)
    #expect(parser.pending < 25)

    let bare = try FrameFormat(fields: [.init(.type)], check: FrameCheck(.sum, covers: .everything))
    parser = FrameParser(format: bare)
    #expect(frames(parser.append([3, 4, 7])) == [Frame(type: 3, payload: Data([4]))])
  }

  @Test("the length field counts the parts that the format says", arguments: FrameFormat.LengthCounts.allTested)
  func lengthCounts(counts: FrameFormat.LengthCounts) throws {
    let format = try FrameFormat(
      start: Data([0x55]), fields: [.init(.length), .init(.type)], lengthCounts: counts,
      check: FrameCheck(.exclusiveOr), end: Data([0xAA]))
    let octets = try format.encode(Frame(type: 9, payload: Data([1, 2, 3])))
    #expect(octets[1] == [.payload: 3, .rest: 5, .frame: 8][counts])
    var parser = FrameParser(format: format)
    #expect(frames(parser.append(octets)) == [Frame(type: 9, payload: Data([1, 2, 3]))])
  }

  @Test("payloads that do not fit are refused, and impossible layouts too")
  func refused() throws {
    #expect(throws: FrameEncodingError.payloadTooLong(octets: 41, maximum: 40)) {
      try format.encode(Frame(payload: Data(count: 41)))
    }
    #expect(throws: FrameEncodingError.doesNotFit(.type, 256)) { try format.encode(Frame(type: 256)) }
    #expect(throws: FrameFormatError.fieldTwice(.type)) { try FrameFormat(fields: [.init(.type), .init(.type)]) }
    #expect(throws: FrameFormatError.fieldWidth(.type, 5)) { try FrameFormat(fields: [.init(.type, width: 5)]) }
    #expect(throws: FrameFormatError.unknownCheck("CRC-9")) {
      try FrameFormat(fields: [], check: FrameCheck(.cyclicRedundancyCheck("CRC-9")))
    }
    #expect(format.sequence(after: 255) == 0)
  }
}

extension FrameFormat.LengthCounts {
  static let allTested: [FrameFormat.LengthCounts] = [.payload, .rest, .frame]
}
