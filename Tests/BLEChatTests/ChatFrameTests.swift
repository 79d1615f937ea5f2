import Foundation
import Testing

@testable import BLEChat

@Suite("Frames of the chat")
struct ChatFrameTests {
  static let frames: [ChatFrame] = [
    .hello(ChatHello(flags: .canEncrypt, identifier: 0x0102_0304_0506_0708, keys: 9, name: "Ann 中")),
    .hello(ChatHello(version: 7, identifier: 1, name: "")), .commitment(Data(repeating: 1, count: 32)),
    .key(Data(repeating: 2, count: 32)),
    .resume(ChatResume(expected: ChatPlace(number: 5, offset: 600), first: 3, next: 9)),
    .piece(ChatPiece(place: ChatPlace(number: 4, offset: 2), total: 5, octets: Data("llo".utf8))),
    .acknowledgement(ChatPlace(number: .max, offset: 1)), .goodbye(.busy), .sealed(Data([1, 2, 3])),
  ]

  @Test("Every octet is where Docs/chat.md says")
  func everyOctetIsWhereDocsChatMdSays() {
    #expect(
      ChatFrame.piece(ChatPiece(place: ChatPlace(number: 4, offset: 2), total: 5, octets: Data("llo".utf8))).octets
        == Data([5, 4, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0]) + Data("llo".utf8))
    #expect(
      ChatFrame.hello(
        ChatHello(flags: [.wantsEncryption, .canEncrypt], identifier: 0x0102_0304_0506_0708, keys: 9, name: "A")
      ).octets == Data([1, 2, 3, 8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0x41]))
    #expect(
      ChatFrame.resume(ChatResume(expected: ChatPlace(number: 5, offset: 600), first: 3, next: 9)).octets
        == Data([4, 5, 0, 0, 0, 0x58, 2, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0]))
    #expect(ChatFrame.goodbye(.violation).octets == Data([7, 5]))
    #expect(ChatFrameReader.framed(Data([7, 0])) == Data([2, 0, 7, 0]))
  }

  @Test(
    "Decoding and encoding gives the same frame, and no truncation of it traps or becomes longer", arguments: frames)
  func decodingAndEncodingGivesTheSameFrame(frame: ChatFrame) throws {
    let octets = frame.octets
    #expect(try ChatFrame(octets: octets) == frame)
    for count in 0..<octets.count {
      // A name that is truncated inside a character is repaired.
      if let cut = try? ChatFrame(octets: octets.prefix(count)), cut.octets.first != 1 {
        #expect(cut.octets.count <= count)
      }
    }
    if case .resume = frame {
      #expect(throws: ChatViolation("a frame has 1 octets too many")) { try ChatFrame(octets: octets + [0]) }
    }
  }

  @Test("Random octets are frames or violations")
  func randomOctetsAreFramesOrViolations() {
    var chance = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let octets = Data(
        (0..<Int.random(in: 0..<60, using: &chance)).map { _ in UInt8.random(in: 0...255, using: &chance) })
      if let frame = try? ChatFrame(octets: octets), case .goodbye = frame { continue }
      // A name that is not UTF-8 is repaired.
      if octets.first == 1 { continue }
      if let frame = try? ChatFrame(octets: octets), case .unknown = frame { continue }
      if let frame = try? ChatFrame(octets: octets) { #expect(frame.octets == octets) }
    }
  }

  @Test("Frames are read from the stream whatever the values it is cut into", arguments: [1, 2, 3, 17, 20, 182, 512])
  func framesAreReadFromTheStreamWhateverTheValues(length: Int) throws {
    let stream = Self.frames.reduce(Data()) { $0 + ChatFrameReader.framed($1.octets) }
    var reader = ChatFrameReader()
    var found: [ChatFrame] = []
    for start in stride(from: 0, to: stream.count, by: length) {
      for octets in try reader.append(stream[start..<min(start + length, stream.count)]) {
        found.append(try ChatFrame(octets: octets))
      }
    }
    #expect(found == Self.frames)
  }

  @Test(
    "A frame of length zero or too large a length is a violation immediately",
    arguments: [([0, 0], 0), ([1, 8], 2_049), ([255, 255], 65_535)] as [([UInt8], Int)])
  func aFrameOfLengthZeroOrTooLargeALength(octets: [UInt8], length: Int) {
    var reader = ChatFrameReader()
    #expect(throws: ChatViolation("a frame claims to have \(length) octets")) { try reader.append(Data(octets)) }
  }

  @Test(
    "Text for plain apps is split between characters, and the parts joined are the text", arguments: [1, 2, 4, 20, 512])
  func textForPlainAppsIsSplitBetweenCharacters(limit: Int) {
    let text = "Zażółć 中文字 👨‍👩‍👧‍👦 e\u{301}🇩🇪 " + String(repeating: "long ", count: 200)
    let pieces = ChatText.pieces(of: Data(text.utf8), atMost: max(4, limit))
    #expect(pieces.allSatisfy { $0.count <= max(4, limit) && !$0.isEmpty && String(data: $0, encoding: .utf8) != nil })
    #expect(pieces.reduce(Data(), +) == Data(text.utf8))
    if limit == 20 { #expect(pieces.dropLast().allSatisfy { !String(decoding: $0, as: UTF8.self).hasSuffix("e") }) }
    #expect(ChatText.prefix(of: "中文", atMost: 5) == "中")
  }
}
