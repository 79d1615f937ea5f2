import BLECapture
import BLEClone
import BLECore
import BLESession
import BLEText
import Foundation

/// Makes clones of captures that are sent to the explorer: one at a time, because to learn a device takes the processor for seconds.
final class CloneWorkshop: Sendable {
  /// Octets of a capture, as many as a body has room for in base64.
  static let longest = 720 << 10

  private let isBusy = Guarded(false)

  /// - Parameter device: which device of the capture: its name, the beginning of its name, or its address.
  /// - Throws: `unavailable` while another capture is worked on, `invalid` for one that cannot be read.
  func clone(_ capture: [UInt8], device: String?, isAnonymous: Bool) async throws(APIError) -> DeviceClone {
    let isFree = isBusy.with { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else { throw APIError(.unavailable, "another capture is being worked on: try again") }
    defer { isBusy.with { $0 = false } }
    // Not on the threads of tasks: there are as many as processors.
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<DeviceClone, APIError>, Never>) in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(returning: Result { () throws(APIError) in try Self.make(capture, device, isAnonymous) })
      }
    }
    return try result.get()
  }

  private static func make(
    _ capture: [UInt8], _ wanted: String?, _ isAnonymous: Bool
  ) throws(APIError) -> DeviceClone {
    var survey = LogSurvey()
    let follower = try read(capture) { survey.add($0) }
    let address = try choose(survey, follower, wanted)
    var device = LoggedDevice(address: address)
    _ = try read(capture) { event in
      if survey.identity(of: event.device) == address { device.add(event) }
    }
    guard let clone = DeviceClone(device, isAnonymous: isAnonymous) else {
      throw APIError(.invalid, "nothing that was said with the device can be read: its links have no PDU of GATT")
    }
    return clone
  }

  /// Passes everything to `tell`. A capture that ends in the middle is used up to there.
  private static func read(_ capture: [UInt8], _ tell: (LogEvent) -> Void) throws(APIError) -> LogFollower {
    var follower = LogFollower()
    var count = 0
    do throws(CaptureError) {
      let reader = try CaptureFiles.reader(CaptureOctets(capture), named: "the capture")
      while let packet = try reader.next() {
        count += 1
        for event in follower.follow(packet) { tell(event) }
      }
    } catch {
      guard count > 0 else { throw APIError(.invalid, error.description.inert) }
    }
    return follower
  }

  private static func choose(
    _ survey: LogSurvey, _ follower: LogFollower, _ wanted: String?
  ) throws(APIError) -> DeviceAddress {
    do throws(LogChoiceError) {
      return try survey.choice(wanted, follower)
    } catch {
      switch error {
      case .severalTalked(let talked):
        throw APIError(.invalid, "the capture has conversations with several devices, name one: \(list(talked))")
      case .unknown(let talked): throw APIError(.notFound, "the capture has no such device; it has: \(list(talked))")
      case .ambiguous(let found): throw APIError(.invalid, "the name can be any of these: \(list(found))")
      case .nothing(let reasons):
        let why = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
        throw APIError(.invalid, "the capture has no conversation with a device" + why)
      }
    }
  }

  private static func list(_ devices: [LogSurvey.Device]) -> String {
    let texts = devices.prefix(20).map { "\($0.address) \($0.name?.inert ?? "(no name)")" }
    return texts.joined(separator: ", ") + (devices.count > 20 ? " and \(devices.count - 20) more" : "")
  }
}
