import BLEDeviceFiles
import BLESession
import BLESessionCryptography
import BLETestKit
import Foundation
import Testing

@testable import BLEWeb

/// An explorer's scene with one more device, which a device file describes and simulates.
struct VendorScene {
  let scene: ExplorerScene
  let device: SimulatedDevice
  let identifier: String

  /// - Parameter file: one of the program's own.
  init(_ file: String) async throws {
    let scene = await ExplorerScene()
    scene.other.cutPower()
    let description = try #require(DeviceFileShelf.builtIn.first { $0.name == file }).description
    let device = try SimulatedDevice(
      description, options: scene.world.makeDevice(file).options, clock: scene.world.clock,
      cryptography: SystemCryptography())
    try await scene.world.perform { try await device.start() }
    self.scene = scene
    self.device = device
    identifier = try await scene.connect()
  }

  var path: String { "devices/\(identifier)" }

  /// Opens the device with a file, and waits until it is ready.
  func attach(_ file: String) async throws {
    let answer = try await scene.ask("POST", "\(path)/device-file", #"{"file":"\#(file)"}"#)
    #expect(answer.status == 200, "\(answer)")
    try await scene.eventually(path) { $0["state"] as? String == "ready" }
  }

  func perform(_ command: String, _ values: String = "{}") async throws -> ExplorerScene.Answer {
    try await scene.ask("POST", "\(path)/commands/\(command)", #"{"values":\#(values)}"#)
  }
}

extension ExplorerScene {
  /// Sends a request while the world stands still: for what works on threads that the world does not know, and would find hours passed.
  func askStill(_ method: String, _ path: String, _ body: String) async throws -> Answer {
    let request = WebRequest(
      method: method, path: "/api/v1/\(path)", query: [:], headers: [:], isAmbiguous: false, body: Array(body.utf8))
    let response = try #require(await API.answer(request, explorer))
    guard case .octets(let octets) = response.content else { return Answer(status: response.status, text: "") }
    return Answer(status: response.status, text: String(decoding: octets, as: UTF8.self))
  }

  /// Asks what is published, again and again while time passes, until it is as it should be.
  @discardableResult
  func served(
    sourceLocation: SourceLocation = #_sourceLocation, _ holds: (Answer) -> Bool
  ) async throws -> Answer {
    try await answer("serving", sourceLocation: sourceLocation, holds)
  }

  /// The same with what a path answers.
  @discardableResult
  func answer(
    _ path: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: (Answer) -> Bool
  ) async throws -> Answer {
    var last = try await askStill("GET", path, "")
    for _ in 0..<2_000 where !holds(last) {
      await world.advance(by: .milliseconds(50))
      await Task.yield()
      last = try await askStill("GET", path, "")
    }
    #expect(holds(last), "\(last.text.suffix(2_000))", sourceLocation: sourceLocation)
    return last
  }
}
