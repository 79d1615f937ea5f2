import BLEDeviceFiles
import BLEReports
import BLESession
import BLEText
import Foundation

/// A device file that the explorer can use.
struct DeviceFile: Sendable {
  let name: String
  let text: String
  let description: DeviceDescription
  /// Whether it is part of the program.
  let isBuiltIn: Bool

  /// Without its text.
  var json: JSONValue {
    [
      "file": .string(name), "built_in": .bool(isBuiltIn), "name": .string(description.name),
      "description": .string(orNull: description.summary), "commands": .integer(description.commands.count),
      "simulation": .bool(description.simulation != nil), "recording": .bool(description.recording != nil),
    ]
  }
}

/// The device files of this run: those in the program, and those that its users have put.
final class DeviceFileShelf: Sendable {
  /// The most that users can put.
  static let most = 32
  /// The longest text, in octets of UTF-8.
  static let longest = 1 << 20

  static let builtIn: [DeviceFile] = [
    ("itag", PackageResources.itag_json), ("lamp", PackageResources.lamp_json), ("lock", PackageResources.lock_json),
    ("owenli", PackageResources.owenli_json), ("smart-band", PackageResources.smart_band_json),
  ].compactMap { name, octets in
    let text = String(decoding: octets, as: UTF8.self)
    // What is in the program has no mistakes: a test reads them all.
    return (try? DeviceDescription(text: text, file: name)).map {
      DeviceFile(name: name, text: text, description: $0, isBuiltIn: true)
    }
  }

  private let put = Guarded<[String: DeviceFile]>([:])

  /// All, by name.
  var all: [DeviceFile] { (Self.builtIn + put.with { Array($0.values) }).sorted { $0.name < $1.name } }

  func file(named name: String) throws(APIError) -> DeviceFile {
    if let file = Self.builtIn.first(where: { $0.name == name }) ?? put.with({ $0[name] }) { return file }
    let suggestion = Suggestion.sentence(for: name, among: all.map(\.name))
    throw APIError(.notFound, "there is no device file '\(name.inert)'\(suggestion)")
  }

  /// - Throws: `invalid` for a name or a text that cannot be kept, `unavailable` where there are too many.
  func put(_ description: DeviceDescription, _ text: String, as name: String) throws(APIError) -> DeviceFile {
    guard Self.isName(name) else {
      throw APIError(
        .invalid, "a file's name has 1 to 64 letters, digits, '-', '_' and '.', and does not begin with '.'")
    }
    guard !Self.builtIn.contains(where: { $0.name == name }) else {
      throw APIError(.unavailable, "'\(name)' is the program's own: choose another name")
    }
    guard text.utf8.count <= Self.longest else {
      throw APIError(.invalid, "a device file has at most \(Self.longest) octets here")
    }
    let file = DeviceFile(name: name, text: text, description: description, isBuiltIn: false)
    let hasRoom = put.with { files in
      guard files[name] != nil || files.count < Self.most else { return false }
      files[name] = file
      return true
    }
    guard hasRoom else { throw APIError(.unavailable, "\(Self.most) device files are kept: remove one first") }
    return file
  }

  /// - Throws: `notFound`; `unavailable` for one that is part of the program.
  func remove(_ name: String) throws(APIError) {
    guard try !file(named: name).isBuiltIn else { throw APIError(.unavailable, "'\(name)' is the program's own") }
    put.with { $0[name] = nil }
  }

  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
