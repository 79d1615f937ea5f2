import BLEClone
import BLEDeviceFiles
import BLEReports
import BLESession
import Foundation

extension API {
  /// Simulated devices out of captures, and of connected devices.
  static let cloneRoutes: [Route] = [
    Route(
      .post, "/api/v1/clones",
      "Makes a device file of a capture, and says how much of the capture that device reproduces, as ble clone does",
      body: [
        BodyMember(
          "capture", .text(longest: CloneWorkshop.longest / 3 * 4 + 4), isSecret: true,
          "a btsnoop, PacketLogger, pcap or pcapng file in base64"),
        BodyMember(
          "device", .text(longest: 248), isRequired: false,
          "which device: its name, the beginning of its name, or its address; needed where the capture has several"),
        BodyMember("anonymize", .flag, isRequired: false, "whether names and values are replaced by stand-ins"),
        BodyMember("file", .text(longest: 64), isRequired: false, "the name under which the device file is kept"),
      ]
    ) { (explorer, call) async throws(APIError) in
      guard let capture = Data(base64Encoded: call.text("capture") ?? "") else {
        throw APIError(.invalid, "\"capture\": expected base64")
      }
      guard capture.count <= CloneWorkshop.longest else {
        throw APIError(.invalid, "a capture has at most \(CloneWorkshop.longest) octets here: use ble clone")
      }
      let clone = try await explorer.workshop.clone(
        Array(capture), device: call.text("device"), isAnonymous: call.flag("anonymize") ?? false)
      let description = clone.description
      let text = description.recordingText ?? ""
      let file = call.text("file")
      if let file { _ = try explorer.keep(description, text, as: file) }
      return .json(.combined(clone.json(file: file), ["text": .string(text)]))
    },
    Route(
      .post, "/api/v1/devices/{identifier}/clone",
      "Makes a device file of a connected device: its attributes, and the last values that were read, written and notified",
      body: [
        BodyMember("file", .text(longest: 64), "the name under which the device file is kept"),
        BodyMember("read", .flag, isRequired: false, "whether what can be read and has no value is read before"),
      ]
    ) { (explorer, call) async throws(APIError) in
      let (device, sighting) = (try await call.opened(explorer), await explorer.heard[try call.identifier]?.sighting)
      let isRead = call.flag("read") ?? false
      let clone = try await call.session { () async throws(SessionError) in
        try await device.clone(sighting, isRead: isRead)
      }
      let (file, text) = (call.text("file") ?? "", clone.description.recordingText ?? "")
      _ = try explorer.keep(clone.description, text, as: file)
      return .json([
        "file": .string(file), "name": .string(clone.description.name),
        "characteristics": .integer(clone.characteristics), "values": .integer(clone.values),
        "notes": .array(clone.notes.map(JSONValue.string)), "text": .string(text),
      ])
    },
  ]
}
