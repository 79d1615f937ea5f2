import BLEDeviceFiles
import BLESession
import CoreBluetooth
import Foundation
import Testing

@testable import BLEGateway

@Suite("Messages that are commands")
struct CommandRequestTests {
  @Test("I17.2 a command has an id, an action, a deadline and a topic for its answer")
  func commands() throws {
    let request = try CommandRequest(
      Data(
        #"{"id":"7","command":"unlock","values":{"pin":"1234","times":2},"deadline":"2027-01-15T08:00:00.250Z","reply":"r"}"#
          .utf8))
    #expect(request.identifier == "7" && request.reply == "r")
    #expect(request.action == .perform("unlock", ["pin": "1234", "times": 2]))
    #expect(request.deadline == Date(timeIntervalSince1970: 1_800_000_000.25))
    let write = try CommandRequest(
      Data(#"{"id":"8","write":"FFF0/FFF1","value":{"hex":"0102"},"with_response":false}"#.utf8))
    #expect(write.action == .write(CharacteristicPath("FFF1", in: "FFF0"), Data([1, 2]), withResponse: false))
  }

  @Test(
    "I17.2 what is no command is refused with all that is wrong",
    arguments: [
      ("", "expected"), ("[]", "an object"), (#"{"id":"1"}"#, #"needs either "command""#),
      (#"{"id":"1","command":"a","write":"FFF0/FFF1","value":{"hex":""}}"#, "either"),
      (#"{"id":"","command":"a"}"#, "printable"), (#"{"command":"a"}"#, #""id""#),
      (#"{"id":"1","write":"FFF1","value":{"hex":"0"}}"#, "a service and its characteristic"),
      (#"{"id":"1","write":"FFF0/FFF1","value":{"hex":"0","utf8":""}}"#, "hexadecimal"),
      (#"{"id":"1","command":"a","deadline":"tomorrow"}"#, "a moment"),
      (#"{"id":"1","command":"a","colour":1}"#, "colour"),
    ])
  func refusals(text: String, reason: String) {
    do throws(CommandRequest.Refusal) {
      _ = try CommandRequest(Data(text.utf8))
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.reason.contains(reason), "\(error.reason)")
    }
  }

  @Test("I17.2 a message that a gateway has said itself is known as an echo, and one of 200 MB is not even read")
  func echoes() {
    #expect(throws: CommandRequest.Refusal.self) {
      try CommandRequest(Data(repeating: 0x5B, count: 200_000_000))
    }
    do throws(CommandRequest.Refusal) {
      _ = try CommandRequest(Data(#"{"key":"attic/1/2","event":"answer","id":"7","outcome":"done"}"#.utf8))
    } catch {
      #expect(error.isEcho)
    }
  }
}
