import CoreBluetooth

/// Imports nothing else, and uses the names that come with it.
final class OneImport: NSObject, Program {
  private let lock = NSLock()
  private var log: [String] = []

  private func note(_ text: String) {
    lock.withLock { log.append(text) }
  }

  func run(on stage: any Stage) async throws {
    let data = Data([1, 2, 3])
    let queue = DispatchQueue(label: "work", attributes: .concurrent)
    let group = DispatchGroup()
    group.enter()
    group.leave()
    queue.sync { note("\(data.count)") }
    note(String(format: "%02X", data[0]))
    note(UUID().uuidString.isEmpty ? "" : "uuid")
    let formatter = NumberFormatter()
    formatter.minimumFractionDigits = 1
    note(formatter.string(from: 1.5 as NSNumber) == nil ? "" : "number")
    note(["last device": NSNull()].description.isEmpty ? "" : "none")
    note(Notification.Name("found").rawValue)
    note(NSError(domain: "app", code: 1).domain)
    try check(log == ["3", "01", "uuid", "number", "none", "found", "app"])
    let item = DispatchWorkItem {}
    queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
    item.cancel()
  }
}
