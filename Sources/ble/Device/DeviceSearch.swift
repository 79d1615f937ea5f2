import BLECore
import BLEDeviceFiles
import BLESession
import CoreBluetooth
import Synchronization

/// Searches for one device that a file recognises.
@MainActor final class DeviceSearch {
  private let description: DeviceDescription
  private let target: Target?

  init(_ description: DeviceDescription, _ target: Target?) {
    self.description = description
    self.target = target
  }

  /// Devices that the file recognises but that are not the target.
  private final class Others: Sendable {
    let names = Mutex<[UUID: String]>([:])
  }

  func find(by central: Central, in session: Session) async throws(ToolError) -> Discovery {
    let rule = description.recognition.rule()
    let isMeant = isMeant
    let others = Others()
    let title = title
    let hint = scheduleHint(session)
    defer { hint.cancel() }
    do {
      return try await session.wait(within: session.timeout) { () async throws(SessionError) in
        for await discovery in central.discoveries(matching: rule) {
          if isMeant(discovery) { return discovery }
          others.names.withLock { names in
            if names.count < 64 { names[discovery.identifier] = title(discovery) }
          }
        }
        throw SessionError(.cancelled, "the search was cancelled")
      }
    } catch {
      guard error.status == .timedOut else { throw error }
      throw failure(after: session.timeout, others.names.withLock { $0.values.sorted() })
    }
  }

  /// Prints the file's hint for waking the device, after its delay.
  private func scheduleHint(_ session: Session) -> Task<Void, Never> {
    let (hint, patience) = (description.wakeHint, description.patience)
    return Task { @MainActor in
      guard let hint, (try? await Task.sleep(for: .seconds(patience))) != nil else { return }
      session.output.note("Hint: \(hint.inert)")
    }
  }

  private var isMeant: @Sendable (Discovery) -> Bool {
    let recognition = description.recognition
    switch target {
    case nil: return { $0.advertisement.isConnectable != false }
    case .identifier(let identifier): return { $0.identifier == identifier }
    case .name(let name) where recognition.namesIgnoreCase:
      return { $0.name?.compare(name, options: .caseInsensitive) == .orderedSame }
    case .name(let name): return { $0.name == name }
    case .address(let value):
      // If the vendor puts the address into the manufacturer data, that is the address on the device's label.
      guard let rule = recognition.addressRule else {
        return { PeerAddresses.address(of: $0.identifier)?.value == value }
      }
      let digits = Hexadecimal.encode(UInt64(value), width: 6, uppercase: true)
      return { rule.address(in: $0.advertisement)?.filter { $0 != ":" } == digits }
    }
  }

  /// How devices other than the target are named in messages.
  private var title: @Sendable (Discovery) -> String {
    let rule = description.recognition.addressRule
    return { discovery in
      let name = discovery.name.map { "'\($0.inert)'" } ?? "a device without a name"
      return name + (rule?.address(in: discovery.advertisement).map { " (\($0))" } ?? "")
    }
  }

  private func failure(after seconds: Double, _ others: [String]) -> ToolError {
    let what = target.map { "\($0)" } ?? "A device that the file recognises ('\(description.name.inert)')"
    var message = "\(what) was not found within \(seconds.plain) s."
    if !others.isEmpty {
      message += " Others that the file recognises: " + others.joined(separator: ", ") + "."
    }
    if let hint = description.wakeHint { message += " Is it asleep? \(hint.inert)" }
    return ToolError(.notFound, message)
  }
}
