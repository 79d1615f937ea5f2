public import BLECapture
public import BLECore
public import BLEHCI
public import BLEVirtualRadio

/// The recorded parts of a process's traffic, and their files.
public struct RecordingPaths: Sendable {
  /// All traffic between host and controller: pcapng if the path ends with `.pcapng`, else btsnoop.
  public var capture: String?
  /// The packets that the embedded radio observes on its air, as pcapng.
  public var air: String?
  /// The keys of encrypted links. Only written if the user has requested it.
  public var keys: String?
  /// Whether secrets are omitted from `capture`.
  public var isRedacted: Bool

  public init(capture: String? = nil, air: String? = nil, keys: String? = nil, isRedacted: Bool = false) {
    self.capture = capture
    self.air = air
    self.keys = keys
    self.isRedacted = isRedacted
  }

  /// From `BLE_CAPTURE`, `BLE_CAPTURE_AIR`, `BLE_CAPTURE_KEYS` and `BLE_CAPTURE_REDACTED` (any non-empty text).
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

  /// Observes the traffic between host and controller; `nil` if it is not recorded.
  public var tap: (any HCITap)? { TapGroup.of([capture, keys]) }

  /// Observes the air; `nil` if it is not recorded.
  var air: (any AirTap)? { airTap }

  /// Records `air` from now on, if that was requested.
  public func hear(_ air: Air) { air.tap = airTap }

  /// Writes everything to the files.
  public func flush() {
    capture?.flush()
    airTap?.flush()
  }
}
