public import BLECapture
public import BLECore
public import BLEHCI
public import BLEVirtualRadio

/// What of a process's traffic is kept, and in which files.
public struct RecordingPaths: Sendable {
  /// All that passes between host and controller: pcapng where it ends with `.pcapng`, else btsnoop.
  public var capture: String?
  /// What the embedded radio hears of its air, as pcapng.
  public var air: String?
  /// The keys of encrypted links. Only ever written where somebody asked for it.
  public var keys: String?
  /// Secrets are left out of `capture`.
  public var isRedacted: Bool

  public init(capture: String? = nil, air: String? = nil, keys: String? = nil, isRedacted: Bool = false) {
    self.capture = capture
    self.air = air
    self.keys = keys
    self.isRedacted = isRedacted
  }

  /// As `BLE_CAPTURE`, `BLE_CAPTURE_AIR`, `BLE_CAPTURE_KEYS` and `BLE_CAPTURE_REDACTED` (any text that is not empty) say.
  init(environment: (String) -> String?) {
    self.init(
      capture: environment("BLE_CAPTURE"), air: environment("BLE_CAPTURE_AIR"), keys: environment("BLE_CAPTURE_KEYS"),
      isRedacted: environment("BLE_CAPTURE_REDACTED") != nil)
  }
}

/// The files of one adapter's traffic. On the loop.
public final class Recording {
  private let capture: CaptureTap?
  private let keys: KeyFileTap?
  private let airTap: AirCaptureTap?

  /// Makes the files, or empties them.
  public init(_ paths: RecordingPaths, on loop: any StackLoop, log: Logger) throws(CaptureError) {
    capture =
      if let path = paths.capture {
        try CaptureTap(path: path, isRedacted: paths.isRedacted, on: loop, log: log)
      } else { nil }
    keys = if let path = paths.keys { try KeyFileTap(path: path, log: log) } else { nil }
    airTap = if let path = paths.air { try AirCaptureTap(path: path, on: loop, log: log) } else { nil }
  }

  /// Hears what passes between host and controller; `nil` where nobody wants to know.
  public var tap: (any HCITap)? {
    let both: [(any HCITap)?] = [capture, keys]
    let taps = both.compactMap(\.self)
    return taps.count > 1 ? TapGroup(taps) : taps.first
  }

  /// Hears the air; `nil` where nobody wants to know.
  var air: (any AirTap)? { airTap }

  /// Hears `air` from now on, where somebody wants to know.
  public func hear(_ air: Air) { air.tap = airTap }

  /// Brings everything to the files.
  public func flush() {
    capture?.flush()
    airTap?.flush()
  }
}
