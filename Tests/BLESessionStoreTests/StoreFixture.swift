import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@testable import BLESessionStore

extension WorldClock: SessionClock {}
extension WorldTimer: SessionTimer {}

/// A test's own folder, removed with this object.
final class Folder: Sendable {
  let url: URL

  init(in place: String = NSTemporaryDirectory()) throws {
    url = URL(fileURLWithPath: place).appendingPathComponent("store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var file: URL { url.appendingPathComponent("seen.sqlite") }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}

/// A value behind a lock.
///
/// `@unchecked Sendable`: touched under the lock only.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var content: Value
  init(_ value: Value) { content = value }
  var value: Value { lock.withLock { content } }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&content) } }
}

/// The reports of a store.
final class Reports: Sendable {
  let errors = Locked<[StoreError.Code]>([])
  let commits = Locked<[StoreStatistics]>([])

  func configuration(_ change: (inout StoreConfiguration) -> Void = { _ in }) -> StoreConfiguration {
    var configuration = StoreConfiguration(interval: .milliseconds(5), patience: .milliseconds(20)) { [self] report in
      switch report {
      case .committed(let statistics): commits.change { $0.append(statistics) }
      case .failed(let error): errors.change { $0.append(error.code) }
      }
    }
    change(&configuration)
    return configuration
  }
}

enum Sample {
  static let device = UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID()
  static let other = UUID(uuidString: "00000000-0000-4000-8000-000000000002") ?? UUID()
  static let line = CharacteristicPath("FFF1", in: "FFF0")
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  static func value(_ number: Int, of device: UUID = device, from path: CharacteristicPath = line) -> StoreEntry {
    StoreEntry(
      .value(Data("value \(number)".utf8), from: path, .notified), device: device,
      at: start.addingTimeInterval(Double(number)))
  }
}

extension SessionStore {
  /// Runs a job with the database on the store's own queue.
  func perform(_ script: SQLText) async throws {
    try await writer.perform { (database) throws(StoreError) in try database.run(script: script) }
  }
}

/// The code of the error that `body` throws.
func code(of body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StoreError)?.code
  }
}
