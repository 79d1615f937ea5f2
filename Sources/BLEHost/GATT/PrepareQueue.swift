import BLECore
import BLEWire

/// The prepared writes of one client (Core, Vol 3 Part F 3.4.6), bounded in number and size.
struct PrepareQueue {
  /// The maximum number of parts.
  static let partLimit = 128
  /// The maximum length of all values together, in octets.
  static let octetLimit = 4096

  struct Part {
    let handle: AttributeHandle
    let offset: Int
    let value: ArraySlice<UInt8>
  }

  private(set) var parts: [Part] = []
  private var octets = 0

  /// Whether the parts are one long write: of one attribute, each beginning where the previous one ends. Anything else is a
  /// reliable write (Core, Vol 3 Part G 4.9.5).
  var isOneLongWrite: Bool {
    zip(parts, parts.dropFirst()).allSatisfy { part, next in
      part.handle == next.handle && part.offset + part.value.count == next.offset
    }
  }

  /// Returns false if the queue is full.
  mutating func append(_ handle: AttributeHandle, offset: Int, _ value: ArraySlice<UInt8>) -> Bool {
    guard parts.count < Self.partLimit, octets + value.count <= Self.octetLimit else { return false }
    // Copied, because the slice would retain the whole packet.
    parts.append(Part(handle: handle, offset: offset, value: Array(value)[...]))
    octets += value.count
    return true
  }

  mutating func removeAll() {
    parts = []
    octets = 0
  }
}

/// The execution of prepared writes: the applications are asked one after another, then the server's own values are stored.
struct QueueExecution {
  struct ApplicationWrite {
    let application: any AttributeApplication
    var parts: [AttributeWriteRequest.Part]
  }

  /// The writes not yet passed to their applications.
  var applicationWrites: [ApplicationWrite] = []
  /// The complete new values of attributes that the server stores.
  var values: [(attribute: Attribute, value: [UInt8])] = []
  /// The handle reported if the application that is being asked refuses.
  var current = AttributeHandle(0)
}

extension GATTServerLink {
  func prepare(_ request: ATTPrepareWriteRequest) {
    let handle = request.attributeHandle
    do throws(ATTErrorCode) {
      _ = try writable(handle, .request)
      guard queue.append(handle, offset: Int(request.valueOffset), request.partAttributeValue) else {
        throw .prepareQueueFull
      }
      // Offset and length are checked when the queue is executed.
      bearer.respond(ATTPrepareWriteResponse(to: request), capacity: bearer.mtu)
    } catch {
      bearer.refuse(error, at: handle)
    }
  }

  func execute(_ flags: ATTExecuteWriteRequest.Flags) {
    let parts = queue.parts
    switch flags {
    case .cancel:
      queue.removeAll()
      bearer.respond(ATTExecuteWriteResponse())
    case .write:
      let isReliable = !queue.isOneLongWrite
      queue.removeAll()
      if isReliable, let refused = parts.first(where: { !server.database.permitsReliableWrites(of: $0.handle) }) {
        return bearer.refuse(.requestNotSupported, at: refused.handle)
      }
      var execution = QueueExecution()
      for part in parts {
        do throws(ATTErrorCode) { try plan(part, &execution) } catch { return bearer.refuse(error, at: part.handle) }
      }
      for (attribute, value) in execution.values {
        do throws(ATTErrorCode) { try check(value[...], for: attribute) } catch {
          return bearer.refuse(error, at: attribute.handle)
        }
      }
      resume(execution)
    default: bearer.refuse(.invalidPDU, at: AttributeHandle(0))
    }
  }

  private func plan(_ part: PrepareQueue.Part, _ execution: inout QueueExecution) throws(ATTErrorCode) {
    // Attributes and security may have changed since the part was prepared.
    let attribute = try writable(part.handle, .request)
    if case .application(let application, let tag) = attribute.content {
      guard part.offset + part.value.count <= ATTLimits.maximumValueLength else { throw .invalidAttributeValueLength }
      let piece = AttributeWriteRequest.Part(
        handle: part.handle, tag: tag, offset: part.offset, value: part.value)
      if let index = execution.applicationWrites.firstIndex(where: { $0.application === application }) {
        execution.applicationWrites[index].parts.append(piece)
      } else {
        execution.applicationWrites.append(.init(application: application, parts: [piece]))
      }
      return
    }
    let index: Int
    if let known = execution.values.firstIndex(where: { $0.attribute.handle == part.handle }) {
      index = known
    } else {
      index = execution.values.count
      execution.values.append((attribute, Array(value(of: attribute) ?? [])))
    }
    guard let changed = execution.values[index].value.overwritten(at: part.offset, with: part.value) else {
      throw .invalidOffset
    }
    guard part.offset + part.value.count <= ATTLimits.maximumValueLength else { throw .invalidAttributeValueLength }
    execution.values[index].value = changed
  }

  /// Asks the next application, or completes the execution.
  func resume(_ execution: QueueExecution) {
    var execution = execution
    guard !execution.applicationWrites.isEmpty else {
      bearer.respond(ATTExecuteWriteResponse())
      for (attribute, value) in execution.values { apply(value[...], to: attribute) }
      return
    }
    let write = execution.applicationWrites.removeFirst()
    execution.current = write.parts.first?.handle ?? AttributeHandle(0)
    let number = wait(.execute(execution), for: write.application)
    write.application.write(
      AttributeWriteRequest(number: number, client: self, needsResponse: true, parts: write.parts))
  }
}

extension [UInt8] {
  /// Returns the value after a write at `offset`: at offset 0 the part is the new value; elsewhere it replaces octets and may
  /// extend the value. `nil` if `offset` is beyond the end.
  fileprivate func overwritten(at offset: Int, with part: ArraySlice<UInt8>) -> [UInt8]? {
    if offset > count { return nil }
    let rest = offset == 0 ? [] : dropFirst(offset + part.count)
    return Array(prefix(offset) + part + rest)
  }
}
