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
  /// The parts not yet passed to their applications, and those for values that the server stores.
  var parts: [PrepareQueue.Part]
  /// The handle reported if the application that is being asked refuses.
  var current = AttributeHandle(0)
}

/// The next step of an execution.
private struct QueueStep {
  /// The application to ask; `nil` if only values of the server are left.
  var application: (any AttributeApplication)?
  /// Its parts.
  var asked: [AttributeWriteRequest.Part] = []
  /// All other parts.
  var rest: [PrepareQueue.Part] = []
  /// The complete new values of attributes that the server stores.
  var values: [(attribute: Attribute, value: [UInt8])] = []
}

/// Why an execution ends, with the handle to report.
private struct QueueRefusal: Error {
  let code: ATTErrorCode
  let handle: AttributeHandle
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
      resume(QueueExecution(parts: parts))
    default: bearer.refuse(.invalidPDU, at: AttributeHandle(0))
    }
  }

  /// Asks the next application, or completes the execution. What is still to be written is checked each time: attributes and security
  /// may have changed since it was prepared, and since an application was asked. What an application has written by then stays
  /// (Core, Vol 3 Part F 3.4.6.3 leaves that open).
  func resume(_ execution: QueueExecution) {
    do throws(QueueRefusal) {
      let step = try nextStep(execution.parts)
      guard let application = step.application, let asked = OneOrMore(step.asked) else {
        bearer.respond(ATTExecuteWriteResponse())
        for (attribute, value) in step.values { apply(value[...], to: attribute) }
        return
      }
      let number = wait(.execute(QueueExecution(parts: step.rest, current: asked[0].handle)), for: application)
      application.write(AttributeWriteRequest(number: number, client: self, needsResponse: true, parts: asked))
    } catch {
      bearer.refuse(error.code, at: error.handle)
    }
  }

  private func nextStep(_ parts: [PrepareQueue.Part]) throws(QueueRefusal) -> QueueStep {
    var step = QueueStep()
    for part in parts {
      do throws(ATTErrorCode) { try add(part, to: &step) } catch {
        throw QueueRefusal(code: error, handle: part.handle)
      }
    }
    for (attribute, value) in step.values {
      do throws(ATTErrorCode) { try check(value[...], for: attribute) } catch {
        throw QueueRefusal(code: error, handle: attribute.handle)
      }
    }
    return step
  }

  private func add(_ part: PrepareQueue.Part, to step: inout QueueStep) throws(ATTErrorCode) {
    let attribute = try writable(part.handle, .request)
    let isTooLong = part.offset + part.value.count > ATTLimits.maximumValueLength
    if case .application(let application, let tag) = attribute.content {
      if isTooLong { throw .invalidAttributeValueLength }
      if step.application == nil { step.application = application }
      guard step.application === application else { return step.rest.append(part) }
      step.asked.append(
        AttributeWriteRequest.Part(handle: part.handle, tag: tag, offset: part.offset, value: part.value))
      return
    }
    let known = step.values.firstIndex { $0.attribute.handle == part.handle }
    if known == nil { step.values.append((attribute, Array(value(of: attribute) ?? []))) }
    let index = known ?? step.values.count - 1
    guard let changed = step.values[index].value.overwritten(at: part.offset, with: part.value) else {
      throw .invalidOffset
    }
    if isTooLong { throw .invalidAttributeValueLength }
    step.values[index].value = changed
    step.rest.append(part)
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
